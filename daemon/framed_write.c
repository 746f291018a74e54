/* What goes out to a peer on the framed socket. */
#include <stdlib.h>
#include <string.h>

#include "framed_impl.h"
#include "server.h"

#define AT_ONCE_MAX 4096u /* larger bodies are not worth the attempt */
#define HEAD_MAX (SD_FRAME_HEADER + SD_ANSWER_HEAD)

struct write {
	uv_write_t request;
	struct sd_framed *framed;
	uint64_t bytes;
	struct sd_blob *body;
	unsigned char head[HEAD_MAX], tail[32];
};

static void on_write(uv_write_t *request, int status)
{
	struct write *write = request->data;
	struct sd_framed *framed = write->framed;

	framed->owed_bytes -= write->bytes;
	sd_blob_release(write->body);
	free(write);
	if (framed->state == SD_FRAMED_CLOSED)
		return;
	if (status < 0)
		sd__framed_close(framed, "the peer is gone");
	else
		sd__framed_settle(framed);
}

static void fill_head(unsigned char head[HEAD_MAX], const struct sd_out *out, uint64_t body_bytes)
{
	struct sd_frame frame = { .body_bytes = (uint32_t)body_bytes, .method = out->method, .kind = (uint8_t)out->kind,
	                          .request_id = out->request_id };

	sd_frame_write(head, &frame);
	memcpy(head + SD_FRAME_HEADER, out->head, out->head_len);
}

/* Pieces of a frame behind its first `skip` bytes; answers how many. */
static unsigned fill_parts(uv_buf_t part[3], const unsigned char *head, const unsigned char *tail, const struct sd_out *out, size_t skip)
{
	const uv_buf_t whole[] = {
		uv_buf_init((char *)(uintptr_t)head, SD_FRAME_HEADER + out->head_len),
		uv_buf_init(out->body ? (char *)out->body->data : NULL, out->body ? (unsigned)out->body->len : 0),
		uv_buf_init((char *)(uintptr_t)tail, out->tail_len),
	};
	unsigned parts = 0;

	for (unsigned i = 0; i < 3; i++) {
		if (skip < whole[i].len)
			part[parts++] = uv_buf_init(whole[i].base + skip, (unsigned)(whole[i].len - skip));
		skip -= skip < whole[i].len ? skip : whole[i].len;
	}
	return parts;
}

/* What the socket takes at once, which is mostly all: then nothing is queued. Errors are left to the write that follows. */
static uint64_t write_at_once(struct sd_framed *framed, const struct sd_out *out, uint64_t body_bytes)
{
	unsigned char head[HEAD_MAX];
	uv_buf_t part[3];
	int taken;

	if (framed->owed_bytes || body_bytes > AT_ONCE_MAX)
		return 0;
	fill_head(head, out, body_bytes);
	taken = uv_try_write((uv_stream_t *)&framed->pipe, part, fill_parts(part, head, out->tail, out, 0));
	return taken > 0 ? (uint64_t)taken : 0;
}

/* The rest of a frame of which `taken` bytes are gone. */
static bool start_write(struct sd_framed *framed, const struct sd_out *out, uint64_t body_bytes, uint64_t taken)
{
	struct write *write = malloc(sizeof(*write));
	uv_buf_t part[3];

	if (!write)
		return false;
	*write = (struct write){ .request = { .data = write }, .framed = framed, .body = out->body, .bytes = SD_FRAME_HEADER + body_bytes - taken };
	fill_head(write->head, out, body_bytes);
	memcpy(write->tail, out->tail, out->tail_len);
	if (framed->owed_bytes == 0)
		framed->stall_ms = uv_now(&framed->conn.server->loop);
	framed->owed_bytes += write->bytes;
	if (uv_write(&write->request, (uv_stream_t *)&framed->pipe, part, fill_parts(part, write->head, write->tail, out, taken), on_write) == 0)
		return true;
	framed->owed_bytes -= write->bytes;
	free(write);
	return false;
}

void sd__framed_send(struct sd_framed *framed, const struct sd_out *out)
{
	uint64_t body_bytes = (uint64_t)out->head_len + (out->body ? out->body->len : 0) + out->tail_len, taken;
	bool fits = body_bytes <= UINT32_MAX - SD_FRAME_HEADER &&
	            (framed->owed_bytes == 0 || framed->owed_bytes + body_bytes <= framed->conn.server->config.unread_bytes_max);

	if (framed->state >= SD_FRAMED_CLOSING || !fits) {
		sd_blob_release(out->body);
		framed->conn.server->metrics.counter[SD_COUNTER_connections_stalled] += framed->state < SD_FRAMED_CLOSING;
		if (framed->state < SD_FRAMED_CLOSING)
			sd__framed_close(framed, "too many answers are unread");
		return;
	}
	framed->conn.server->metrics.counter[SD_COUNTER_answer_bytes] += SD_FRAME_HEADER + body_bytes;
	taken = write_at_once(framed, out, body_bytes);
	if (taken < SD_FRAME_HEADER + body_bytes && start_write(framed, out, body_bytes, taken))
		return;
	sd_blob_release(out->body);
	if (taken < SD_FRAME_HEADER + body_bytes)
		sd__framed_close(framed, "the peer is gone, or no memory is left");
}
