/* Large aligned memory, and how much of it the node still has. Room: base. */
#ifndef FUNNEL_MEMORY_H
#define FUNNEL_MEMORY_H

#include "funnel/status.h"
#include <stddef.h>
#include <stdint.h>

/* Takes `bytes` of zero pages that no thread has touched yet, aligned to 2 MiB and asked to be huge
 * pages where the kernel allows. The caller owns it and gives it back with memory_release and the
 * same size. Returns NULL with status set (EXIT_CODE_ENVIRONMENT) if the kernel refuses. */
void *memory_take(size_t bytes, struct status *status);

/* Gives memory of memory_take back; NULL is allowed. */
void memory_release(void *memory, size_t bytes);

/* Asks for huge pages for memory that came from elsewhere, aligned to a page. Only a wish: a kernel
 * without them says no, and small pages serve. */
void memory_wish_huge_pages(void *memory, size_t bytes);

/* Bytes that this node can still give: the smaller of MemAvailable and what every cgroup on the
 * path of this process leaves, version 1 or 2. `root` is "" on a real machine; tests pass a folder
 * that imitates /proc and /sys. Returns -1 where nothing can be read. */
int64_t memory_available_bytes(const char *root);

/* Bytes left in /dev/shm, where shared memory lies: a file system of its own, which containers keep
 * small, and a page that does not fit there ends the process with a bus error. -1 where there is
 * none. */
int64_t memory_shared_left_bytes(void);

/* Whether `bytes` may be taken of what the functions above said: up to nine tenths of it, since
 * MPI takes some too and other processes do meanwhile, and a kernel that overcommits ends a process
 * instead of refusing. True where nothing could be read. */
bool memory_suffices(int64_t bytes, int64_t available_bytes);

#endif
