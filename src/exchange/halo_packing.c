/* Columns and corners into buffers and back, by hand and on the clock. */
#include "funnel/clock.h"
#include "halo_parts.h"

static void copy_out(const struct halo *halo, const struct halo_message *message,
                     const double *values) {
    struct region box = message->send;
    const double *row = values + box_offset(&halo->layout, box);
    double *buffer = message->send_buffer;
    for (local_index j = box.y0; j < box.y1; j++, row += halo->layout.pitch)
        for (local_index i = 0; i < box.x1 - box.x0; i++)
            *buffer++ = row[i];
}

static void copy_in(const struct halo *halo, const struct halo_message *message, double *values) {
    struct region box = message->receive;
    double *row = values + box_offset(&halo->layout, box);
    const double *buffer = message->receive_buffer;
    for (local_index j = box.y0; j < box.y1; j++, row += halo->layout.pitch)
        for (local_index i = 0; i < box.x1 - box.x0; i++)
            row[i] = *buffer++;
}

void halo_pack(struct halo *halo, const double *values, int first, int last) {
    double start_s = clock_now_s();
    for (int m = first; m < last; m++)
        if (halo->message[m].send_buffer != NULL && halo->message[m].send_to != MPI_PROC_NULL)
            copy_out(halo, &halo->message[m], values);
    halo->times.pack_s += clock_now_s() - start_s;
}

void halo_unpack(struct halo *halo, double *values, int first, int last) {
    double start_s = clock_now_s();
    for (int m = first; m < last; m++)
        if (halo->message[m].receive_buffer != NULL &&
            halo->message[m].receive_from != MPI_PROC_NULL)
            copy_in(halo, &halo->message[m], values);
    halo->times.pack_s += clock_now_s() - start_s;
}
