/* grpc_text.h - the small encodings of gRPC over HTTP/2: pure functions over bytes. */
#ifndef SD_GRPC_TEXT_H
#define SD_GRPC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SD_GRPC_PREFIX 5u /* bytes before a message: whether it is packed, and its length, big-endian */

/* What grpc-message may hold: printable ASCII, all else and the percent sign as %XX. Cut, never within
 * a %XX, to `cap` bytes; answers the length. */
size_t sd_grpc_escape(char *out, size_t cap, const char *at, size_t len);

/* Base64 without padding, as in headers that end with -bin; `out` holds sd_grpc_base64_length(len) bytes. */
size_t sd_grpc_base64(char *out, const unsigned char *at, size_t len);
static inline size_t sd_grpc_base64_length(size_t len)
{
	return len / 3 * 4 + (len % 3 ? len % 3 + 1 : 0);
}

/* A grpc-timeout: 1 to 8 digits and H, M, S, m, u or n; rounded up to milliseconds. False: it is none. */
bool sd_grpc_timeout(const char *at, size_t len, uint64_t *ms);

/* Whether `at` is application/grpc, or that with +proto, and parameters perhaps. */
bool sd_grpc_content_type(const char *at, size_t len);

/* Whether a grpc-accept-encoding, names parted by commas and spaces, has gzip. */
bool sd_grpc_takes_gzip(const char *at, size_t len);

void sd_grpc_put_prefix(unsigned char out[SD_GRPC_PREFIX], bool is_packed, uint32_t len);
uint32_t sd_grpc_prefix_length(const unsigned char in[SD_GRPC_PREFIX]);

#endif
