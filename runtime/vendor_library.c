#include "vendor_library.h"

#include <dlfcn.h>
#include <string.h>

static enum sd_status look_up(void *library, const char *path, const struct sd_symbol *symbol, void *functions, struct sd_diag *diag)
{
	void *found = dlsym(library, symbol->name);

	if (!found && !symbol->is_optional)
		return SD_FAIL2(diag, SD_CODE_NO_SYMBOL, SD_NO_NODE, sd_arg_words(path), sd_arg_words(symbol->name));
	memcpy((char *)functions + symbol->offset, &found, sizeof(found)); /* the two kinds of pointers do not convert in C */
	return SD_OK;
}

enum sd_status sd_library_open(const char *path, const struct sd_symbol *symbol, uint32_t count, void *functions, struct sd_diag *diag)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return SD_FAIL2(diag, SD_CODE_NO_LIBRARY, SD_NO_NODE, sd_arg_words(path), sd_arg_words("it is not there, or needs a library that is not"));
	for (uint32_t i = 0; i < count; i++) {
		enum sd_status status = look_up(library, path, &symbol[i], functions, diag);

		if (status != SD_OK) {
			dlclose(library);
			return status;
		}
	}
	return SD_OK;
}
