/* frame_fuzz - any header: what is read is what the bytes say. */
#include "base/check.h"
#include "proto/frame.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char again[SD_FRAME_HEADER];
	struct sd_frame frame;

	if (size < SD_FRAME_HEADER || sd_frame_read(data, &frame) != SD_OK)
		return 0;
	sd_frame_write(again, &frame);
	SD_REQUIRE(memcmp(again, data, SD_FRAME_HEADER) == 0);
	return 0;
}
