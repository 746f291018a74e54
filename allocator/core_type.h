/* core_type.h - which kind of core an operator says that it runs on. */
#ifndef SD_CORE_TYPE_H
#define SD_CORE_TYPE_H

#include "streamd/graph.h"

enum sd_core { SD_CORE_NONE, SD_CORE_CUBE, SD_CORE_VECTOR };

/* By `_cube_vector_core_type`; SD_CORE_NONE for a node that does not say. */
enum sd_core sd_core_of(const struct sd_graph *graph, uint32_t node);

#endif
