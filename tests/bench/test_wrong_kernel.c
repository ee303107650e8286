/* The benchmark with a table that has a wrong kernel, one point of which is off by one bit: its
 * rate must not be shown. */
#include "rows.h"
#include <math.h>

static kernel_function *reference_function(void) {
    const char *unused;
    return kernel_find("reference")->choose(&unused);
}

static void wrong(const struct kernel_box *box) {
    reference_function()(box);
    double *last = box->u_new + (box->box.y1 - 1) * box->pitch + box->box.x1 - 1;
    *last = nextafter(*last, INFINITY);
}

static kernel_function *choose_wrong(const char **instruction_set) {
    *instruction_set = "as compiled";
    return wrong;
}

int main(int argc, char **argv) {
    struct kernel table[] = {*kernel_find("reference"), *kernel_find("reference")};
    table[1].name = "wrong";
    table[1].choose = choose_wrong;
    return bench_main(argc, argv, table, 2);
}
