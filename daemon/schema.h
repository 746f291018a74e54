/* schema.h - the services' own description, as server reflection tells it: files, services, symbols.
 *
 * The bytes are a FileDescriptorSet that the build makes of the schema and puts into the program. */
#ifndef SD_SCHEMA_H
#define SD_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* The bytes of a FileDescriptorProto: of the file of that name, or of the one that has the symbol
 * (package.Message.field, package.Service.Method and so on). Empty: there is none. */
struct sd_text sd_schema_file(struct sd_text name);
struct sd_text sd_schema_file_of(struct sd_text symbol);

/* The full names of all services, one after the other, from `at` 0 on; false behind the last. Cut to `cap`. */
bool sd_schema_service(uint32_t at, char *name, size_t cap);

#endif
