/* onnx_fuzz - any bytes as a model: refused with words, or a request whose names are unique and whose edges have ends. */
#include "import_fuzz.h"

/* Texts that are no names. */
static bool leaves(const struct sd_diag *diag)
{
	return diag->code == SD_CODE_BAD_NAME || diag->code == SD_CODE_BAD_VALUE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import(SD_INPUT_ONNX, data, size, leaves);
	return 0;
}
