/* Writes the record of a program that knows nothing about its run: every name is there, null. */
#include "funnel/record.h"

int main(void) {
    struct status status = {0};
    const struct record_input input = {.program = "sample"};
    return record_write("-", &input, &status) ? EXIT_CODE_DONE : status.code;
}
