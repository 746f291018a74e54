#include "streamd/last_error.h"

#include <stdio.h>

static _Thread_local struct sd_last_error last;

enum sd_status sd_last_error_keep(enum sd_status status, const struct sd_diag *diag)
{
	if (status == SD_OK)
		return status;
	last.status = status;
	last.code = diag ? diag->code : SD_CODE_NONE;
	if (last.code != SD_CODE_NONE)
		sd_diag_message(diag, NULL, last.message, sizeof(last.message));
	else
		snprintf(last.message, sizeof(last.message), "%s", sd_status_name(status));
	return status;
}

void sd_last_error_peek(struct sd_last_error *error)
{
	*error = last;
}

void sd_last_error_get(struct sd_last_error *error)
{
	*error = last;
	last = (struct sd_last_error){ 0 };
}
