/* A race on purpose: two threads add to one counter with nothing between them. The thread sanitizer
 * must find it, else its silence about the rest says nothing. Threads meet by OpenMP's barrier
 * before, which must be no false alarm. */
#include <stdio.h>

int main(void) {
    int shared = 0, together = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        together += 1;
#pragma omp barrier
        if (together == 2)
            shared += 1;
    }
    printf("%d threads, counter %d\n", together, shared);
    return 0;
}
