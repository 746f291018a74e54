#include "last_errors.h"

#include <string.h>
#include <time.h>

#include "error.h"

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_same(const struct sd_last_error *row, const char *method, const struct sd_blob *error)
{
	return row->method == method && row->error->len == error->len && memcmp(row->error->data, error->data, error->len) == 0;
}

/* The place of that error; a new one takes the place of the oldest, if there is no room. */
static uint32_t find_place(struct sd_last_errors *errors, const char *method, struct sd_blob *error)
{
	uint32_t at = 0;

	while (at < errors->count && !is_same(&errors->row[at], method, error))
		at++;
	if (at < errors->count)
		return at;
	if (errors->count < SD_LAST_ERRORS)
		errors->count++;
	else
		sd_blob_release(errors->row[--at].error);
	errors->row[at] = (struct sd_last_error){ .method = method, .error = sd_blob_acquire(error) };
	return at;
}

void sd_last_errors_add(struct sd_last_errors *errors, const char *method, uint64_t conn_id, uint64_t request_id, struct sd_blob *error)
{
	struct sd_last_error found;
	uint32_t at;

	errors->total++;
	if (!error)
		return;
	at = find_place(errors, method, error);
	found = errors->row[at];
	memmove(errors->row + 1, errors->row, at * sizeof(errors->row[0]));
	found.time_ms = now_ms();
	found.times++;
	found.conn_id = conn_id;
	found.request_id = request_id;
	errors->row[0] = found;
}

void sd_last_errors_add_conn(struct sd_last_errors *errors, uint64_t conn_id, const struct sd_diag *diag)
{
	static const char method[] = "connection";
	struct sd_blob *error = sd_error_blob(diag, NULL);

	sd_last_errors_add(errors, method, conn_id, 0, error);
	sd_blob_release(error);
}

void sd_last_errors_finish(struct sd_last_errors *errors)
{
	while (errors->count)
		sd_blob_release(errors->row[--errors->count].error);
}
