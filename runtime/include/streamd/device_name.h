/* device_name.h - a device by its name: "sim", "host", "acl", "cuda". Of the last two also which one, and which library:
 * "cuda@1", "acl:/usr/lib/libascendcl.so", "cuda:./libcuda.so@0". */
#ifndef SD_DEVICE_NAME_H
#define SD_DEVICE_NAME_H

#include "streamd/device.h"

enum sd_device_kind { SD_DEVICE_SIM, SD_DEVICE_HOST, SD_DEVICE_ACL, SD_DEVICE_CUDA, SD_DEVICE_KINDS };

struct sd_device_name {
	enum sd_device_kind kind;
	int32_t number;
	char library[256]; /* "": the usual one */
};

/* INVALID_ARGUMENT (SD5013): no such name. */
enum sd_status sd_device_name_read(const char *text, struct sd_device_name *name, struct sd_diag *diag);

/* Opens it without further options; `name` lives as long as the device. */
enum sd_status sd_device_open_named(const struct sd_device_name *name, struct sd_device **device, struct sd_diag *diag);

#endif
