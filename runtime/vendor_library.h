/* vendor_library.h - a vendor's library, opened at run time, and the functions it must have.
 *
 * Nothing of a vendor is needed to build. The library stays loaded once it was found good: such
 * libraries have threads of their own that outlive every call. */
#ifndef SD_VENDOR_LIBRARY_H
#define SD_VENDOR_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

/* Where the function of this name goes, in bytes from the start of the caller's struct. */
struct sd_symbol {
	const char *name;
	size_t offset;
	bool is_optional; /* its pointer is NULL where the library has none */
};

/* UNAVAILABLE (SD5050): the loader cannot open it. UNIMPLEMENTED (SD5051): names the first function that is missing. */
enum sd_status sd_library_open(const char *path, const struct sd_symbol *symbol, uint32_t count, void *functions, struct sd_diag *diag);

#endif
