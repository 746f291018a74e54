/* ge_dump_fuzz - any text as a dump of Graph Engine: refused with words, or a request whose edges have ends. */
#include "import_fuzz.h"

/* What a dump says of bodies, names and attributes is for the decoder to judge; edges are not. */
static bool leaves(const struct sd_diag *diag)
{
	return diag->code != SD_CODE_UNKNOWN_INPUT && diag->code != SD_CODE_BAD_WIRE && sd_code_status(diag->code) == SD_INVALID_ARGUMENT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import(SD_INPUT_DUMP, data, size, leaves);
	return 0;
}
