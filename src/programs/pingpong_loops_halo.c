/* The patterns "halo" and "deep-halo": messages as a solver exchanges them. Both ranks send at
 * once what they have just computed, so that it lies in the sender's cache alone; a deep halo is
 * several rows of a field, which MPI is told of by a vector type. Neither is as fast as a message
 * whose bytes have rested where they are since it was sent last. */
#include "pingpong_loops_parts.h"
#include "pingpong_payload.h"

/* Below LEAST_BYTES rows would be shorter than what lies between them. */
enum {
    TAG_MEET = 2,
    TAG_ROWS = 3,
    ROWS = 16,
    GAP_BYTES = 64,
    LEAST_BYTES = 1024,
    VALUE_BYTES = sizeof(double)
};

void pingpong_rows_begin(struct pingpong_link *link) {
    const bool several = link->pattern->in_rows && link->bytes >= LEAST_BYTES &&
                         link->bytes % (ROWS * VALUE_BYTES) == 0;
    link->rows = several ? ROWS : 1;
    link->row_bytes = link->bytes / link->rows;
    link->row_stride = link->row_bytes + GAP_BYTES;
    mpi_check(MPI_Type_create_hvector(link->rows, link->row_bytes / VALUE_BYTES, link->row_stride,
                                      MPI_DOUBLE, &link->row_type),
              "MPI_Type_create_hvector");
    mpi_check(MPI_Type_commit(&link->row_type), "MPI_Type_commit");
}

void pingpong_rows_end(struct pingpong_link *link) {
    mpi_check(MPI_Type_free(&link->row_type), "MPI_Type_free");
}

/* Writes the message, and waits for the other rank to have done so too. */
void pingpong_halo_prepare(struct pingpong_link *link) {
    const uint64_t seed = payload_seed(link->bytes, link->number, link->me);
    for (int row = 0; row < link->rows; row++)
        payload_fill(link->out + row * link->row_stride, link->row_bytes, seed + (uint64_t)row);
    mpi_check(MPI_Sendrecv(NULL, 0, MPI_BYTE, link->other, TAG_MEET, NULL, 0, MPI_BYTE, link->other,
                           TAG_MEET, link->pair, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
}

void pingpong_halo_round(struct pingpong_link *link) {
    const bool whole = link->rows == 1;
    const int count = whole ? link->bytes : 1;
    const MPI_Datatype type = whole ? MPI_BYTE : link->row_type;
    mpi_check(MPI_Sendrecv(link->out, count, type, link->other, TAG_ROWS, link->in, count, type,
                           link->other, TAG_ROWS, link->pair, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
}
