/* Inside the binding room: the command that mends a binding, in the words of the launcher. */
#ifndef FUNNEL_BINDING_REMEDY_H
#define FUNNEL_BINDING_REMEDY_H

#include "scene.h"

/* Appends a command that gives each of the node's ranks cores (or, where cores do not suffice, PUs)
 * of its own for all its threads; if the node has too few, says so and gives a smaller layout. */
void remedy_bind(const struct scene *scene, char *text, size_t size);

/* Appends the command for another layout: `ranks` ranks a node with `threads` threads each. */
void remedy_layout(const struct scene *scene, int ranks, int threads, char *text, size_t size);

#endif
