#include "streamd/device_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "streamd/device_acl.h"
#include "streamd/device_cuda.h"
#include "streamd/device_host.h"
#include "streamd/device_sim.h"

static const char *const kind_name[SD_DEVICE_KINDS] = { "sim", "host", "acl", "cuda" };

static bool has_library(enum sd_device_kind kind)
{
	return kind == SD_DEVICE_ACL || kind == SD_DEVICE_CUDA;
}

static enum sd_status refuse(const char *what, int64_t number, const char *wish, struct sd_diag *diag)
{
	return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words(what), sd_arg_int(number), sd_arg_words(wish));
}

static enum sd_status read_number(const char *text, int32_t *number, struct sd_diag *diag)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < 0 || value > INT32_MAX)
		return refuse("the number of a device, behind @,", errno || *end || end == text ? -1 : value, "0 or more", diag);
	*number = (int32_t)value;
	return SD_OK;
}

enum sd_status sd_device_name_read(const char *text, struct sd_device_name *name, struct sd_diag *diag)
{
	size_t length = strcspn(text, ":@");
	const char *number = strrchr(text + length, '@'), *library = text[length] == ':' ? text + length + 1 : text + length;
	size_t library_length = text[length] == ':' ? (number ? (size_t)(number - library) : strlen(library)) : 0;

	*name = (struct sd_device_name){ .kind = SD_DEVICE_KINDS };
	for (enum sd_device_kind kind = 0; kind < SD_DEVICE_KINDS; kind++)
		if (strlen(kind_name[kind]) == length && memcmp(kind_name[kind], text, length) == 0)
			name->kind = kind;
	if (name->kind == SD_DEVICE_KINDS || (text[length] && !has_library(name->kind)))
		return refuse("the name of a device", -1, "sim, host, acl or cuda, the last two with :LIBRARY and @NUMBER if that is wanted", diag);
	if (library_length >= sizeof(name->library))
		return refuse("the length of a library's path", (int64_t)library_length, "below 256", diag);
	memcpy(name->library, library, library_length);
	return number ? read_number(number + 1, &name->number, diag) : SD_OK;
}

enum sd_status sd_device_open_named(const struct sd_device_name *name, struct sd_device **device, struct sd_diag *diag)
{
	const char *library = name->library[0] ? name->library : NULL;
	struct sd_acl_options acl = { .library = library, .device_id = name->number };
	struct sd_cuda_options cuda = { .library = library, .device_id = name->number };

	switch (name->kind) {
	case SD_DEVICE_SIM: return sd_sim_open(NULL, device, diag);
	case SD_DEVICE_HOST: return sd_host_open(NULL, device, diag);
	case SD_DEVICE_ACL: return sd_acl_open(&acl, device, diag);
	default: return sd_cuda_open(&cuda, device, diag);
	}
}
