#include "funnel/memory.h"
#include <stdio.h>
int main(void){printf("%lld\n",(long long)memory_available_bytes("/tmp/brk/root"));}
