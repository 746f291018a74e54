/* tls.h - TLS for the listener on TCP: 1.3 alone, HTTP/2 alone, certificates of clients.
 *
 * Who a client is says its certificate: the common name, or one of the alternative names of the
 * kinds DNS and URI. For the loop thread. */
#ifndef SD_TLS_H
#define SD_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"

struct sd_tls;
struct sd_who;
struct ssl_st;

#define SD_TLS_NAME_MAX 256

/* Whether the settings of TLS fit together; false: `error` says what is wrong. */
bool sd_tls_check(const struct sd_config *config, char error[SD_CONFIG_ERROR_MAX]);

/* Reads certificate, key and the authority of clients. NULL: `error` says why. */
struct sd_tls *sd_tls_load(const struct sd_config *config, char error[SD_CONFIG_ERROR_MAX]);
void sd_tls_free(struct sd_tls *tls); /* NULL is fine; connections keep what they need of it */

/* One connection's side of it, over bytes in memory; NULL: no memory. */
struct ssl_st *sd_tls_begin(struct sd_tls *tls);
void sd_tls_end(struct ssl_st *ssl); /* NULL is fine */

/* What a certificate makes of its owner; false: it may do nothing here. `who` comes with what is known
 * of the socket; `name` is the name that counted, empty where clients have no certificates. */
bool sd_tls_who(struct ssl_st *ssl, const struct sd_config *config, struct sd_who *who, char name[SD_TLS_NAME_MAX]);

/* Whether `name` is in a list of names, parted by commas and blanks; `*.a.b` stands for one label before .a.b. */
bool sd_tls_listed(const char *list, const char *name);

#endif
