#include "grpc_text.h"

#include <string.h>

size_t sd_grpc_escape(char *out, size_t cap, const char *at, size_t len)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t used = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)at[i];
		bool plain = byte >= 0x20 && byte <= 0x7e && byte != '%';

		if (used + (plain ? 1 : 3) > cap)
			break;
		if (plain) {
			out[used++] = (char)byte;
			continue;
		}
		out[used++] = '%';
		out[used++] = hex[byte >> 4];
		out[used++] = hex[byte & 15];
	}
	return used;
}

size_t sd_grpc_base64(char *out, const unsigned char *at, size_t len)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t used = 0;

	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t bits = (uint32_t)at[i] << 16 | (n > 1 ? (uint32_t)at[i + 1] << 8 : 0) | (n > 2 ? at[i + 2] : 0u);

		for (size_t k = 0; k <= n; k++)
			out[used++] = digit[bits >> (18 - 6 * k) & 63];
	}
	return used;
}

bool sd_grpc_timeout(const char *at, size_t len, uint64_t *ms)
{
	uint64_t number = 0;

	if (len < 2 || len > 9)
		return false;
	for (size_t i = 0; i + 1 < len; i++) {
		if (at[i] < '0' || at[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(at[i] - '0');
	}
	switch (at[len - 1]) {
	case 'H': *ms = number * 3600000; return true;
	case 'M': *ms = number * 60000; return true;
	case 'S': *ms = number * 1000; return true;
	case 'm': *ms = number; return true;
	case 'u': *ms = (number + 999) / 1000; return true;
	case 'n': *ms = (number + 999999) / 1000000; return true;
	default: return false;
	}
}

bool sd_grpc_content_type(const char *at, size_t len)
{
	static const char type[] = "application/grpc", proto[] = "+proto";
	size_t n = sizeof(type) - 1, p = sizeof(proto) - 1;

	if (len < n || memcmp(at, type, n) != 0)
		return false;
	if (len >= n + p && memcmp(at + n, proto, p) == 0)
		n += p;
	return len == n || at[n] == ';' || at[n] == ' ';
}

bool sd_grpc_takes_gzip(const char *at, size_t len)
{
	const char *end = at + len;

	while (at < end) {
		size_t n = 0;

		while (at + n < end && at[n] != ',')
			n++;
		while (n && (*at == ' ' || *at == '\t')) {
			at++;
			n--;
		}
		if (n >= 4 && memcmp(at, "gzip", 4) == 0 && (n == 4 || at[4] == ' ' || at[4] == '\t'))
			return true;
		at += n + 1;
	}
	return false;
}

void sd_grpc_put_prefix(unsigned char out[SD_GRPC_PREFIX], bool is_packed, uint32_t len)
{
	out[0] = is_packed;
	for (int i = 0; i < 4; i++)
		out[1 + i] = (unsigned char)(len >> (24 - 8 * i));
}

uint32_t sd_grpc_prefix_length(const unsigned char in[SD_GRPC_PREFIX])
{
	return (uint32_t)in[1] << 24 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 8 | in[4];
}
