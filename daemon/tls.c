#include "tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canon.h"
#include "conn.h"

struct sd_tls {
	SSL_CTX *context;
};

static bool wrong(char error[SD_CONFIG_ERROR_MAX], const char *what, const char *path)
{
	char reason[160] = "no reason is given";

	if (ERR_peek_error())
		ERR_error_string_n(ERR_peek_error(), reason, sizeof(reason));
	ERR_clear_error();
	snprintf(error, SD_CONFIG_ERROR_MAX, "%s %s: %s", what, path, reason);
	return false;
}

bool sd_tls_check(const struct sd_config *config, char error[SD_CONFIG_ERROR_MAX])
{
	const char *why = NULL;

	if (!*config->tls_certificate != !*config->tls_key)
		why = "tls.certificate and tls.key go together; set both, or none";
	else if (*config->tls_client_ca && !*config->tls_certificate)
		why = "tls.client_ca needs tls.certificate and tls.key; set them";
	else if ((*config->tls_names || *config->tls_lease_names || *config->tls_admin_names) && !*config->tls_client_ca)
		why = "names of certificates mean nothing without tls.client_ca; set it";
	if (why)
		snprintf(error, SD_CONFIG_ERROR_MAX, "%s", why);
	return !why;
}

/* ---- the context ---- */

/* HTTP/2 or nothing. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len, const unsigned char *in, unsigned in_len, void *arg)
{
	for (unsigned i = 0; i < in_len && in[i] < in_len - i; i += 1u + in[i]) {
		if (in[i] == 2 && memcmp(in + i + 1, "h2", 2) == 0) {
			*out = in + i + 1;
			*out_len = 2;
			return SSL_TLSEXT_ERR_OK;
		}
	}
	return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static bool load_clients(SSL_CTX *context, const char *path, char *error)
{
	STACK_OF(X509_NAME) * names;

	if (SSL_CTX_load_verify_locations(context, path, NULL) != 1 || !(names = SSL_load_client_CA_file(path)))
		return wrong(error, "tls.client_ca", path);
	SSL_CTX_set_client_CA_list(context, names);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	return true;
}

static bool fill(SSL_CTX *context, const struct sd_config *config, char *error)
{
	SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
	SSL_CTX_set_num_tickets(context, 0); /* each connection shows its certificate */
	SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
	if (SSL_CTX_use_certificate_chain_file(context, config->tls_certificate) != 1)
		return wrong(error, "tls.certificate", config->tls_certificate);
	if (SSL_CTX_use_PrivateKey_file(context, config->tls_key, SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(context) != 1)
		return wrong(error, "tls.key", config->tls_key);
	return !*config->tls_client_ca || load_clients(context, config->tls_client_ca, error);
}

struct sd_tls *sd_tls_load(const struct sd_config *config, char error[SD_CONFIG_ERROR_MAX])
{
	struct sd_tls *tls = calloc(1, sizeof(*tls));

	if (tls)
		tls->context = SSL_CTX_new(TLS_server_method());
	if (!tls || !tls->context)
		wrong(error, "TLS", "cannot be had");
	else if (fill(tls->context, config, error))
		return tls;
	sd_tls_free(tls);
	return NULL;
}

void sd_tls_free(struct sd_tls *tls)
{
	if (tls)
		SSL_CTX_free(tls->context);
	free(tls);
}

struct ssl_st *sd_tls_begin(struct sd_tls *tls)
{
	SSL *ssl = SSL_new(tls->context);
	BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());

	if (!ssl || !in || !out) {
		SSL_free(ssl);
		BIO_free(in);
		BIO_free(out);
		return NULL;
	}
	SSL_set_bio(ssl, in, out);
	SSL_set_accept_state(ssl);
	return ssl;
}

void sd_tls_end(struct ssl_st *ssl)
{
	SSL_free(ssl);
}

/* ---- names ---- */

static bool matches(const char *entry, size_t len, const char *name)
{
	const char *dot;

	if (len < 2 || entry[0] != '*' || entry[1] != '.')
		return strlen(name) == len && memcmp(entry, name, len) == 0;
	dot = strchr(name, '.');
	return dot && dot != name && strlen(dot) == len - 1 && memcmp(dot, entry + 1, len - 1) == 0;
}

bool sd_tls_listed(const char *list, const char *name)
{
	while (*list) {
		size_t len = strcspn(list, ", ");

		if (len && matches(list, len, name))
			return true;
		list += len + (list[len] != '\0');
	}
	return false;
}

/* What the names of a certificate add up to, one after the other. */
struct names {
	const struct sd_config *config;
	struct sd_who *who;
	bool may_enter;
	char *first;
};

static void take_name(struct names *names, const unsigned char *at, int len)
{
	char name[SD_TLS_NAME_MAX];

	/* A NUL within would let one name pass for another. */
	if (len <= 0 || len >= SD_TLS_NAME_MAX || memchr(at, '\0', (size_t)len))
		return;
	memcpy(name, at, (size_t)len);
	name[len] = '\0';
	if (!*names->first)
		memcpy(names->first, name, (size_t)len + 1);
	names->may_enter |= !*names->config->tls_names || sd_tls_listed(names->config->tls_names, name);
	names->who->is_admin |= sd_tls_listed(names->config->tls_admin_names, name);
	names->who->may_lease |= !*names->config->tls_lease_names || sd_tls_listed(names->config->tls_lease_names, name);
}

static void take_subject(struct names *names, X509 *certificate)
{
	const X509_NAME *subject = X509_get_subject_name(certificate);
	int at = X509_NAME_get_index_by_NID((X509_NAME *)(uintptr_t)subject, NID_commonName, -1);
	const X509_NAME_ENTRY *entry = at >= 0 ? X509_NAME_get_entry(subject, at) : NULL;
	const ASN1_STRING *text = entry ? X509_NAME_ENTRY_get_data(entry) : NULL;

	if (text)
		take_name(names, ASN1_STRING_get0_data(text), ASN1_STRING_length(text));
}

static void take_alternatives(struct names *names, X509 *certificate)
{
	GENERAL_NAMES *list = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);

	for (int i = 0; i < sk_GENERAL_NAME_num(list); i++) {
		int type;
		const ASN1_STRING *text = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(list, i), &type);

		if (type == GEN_DNS || type == GEN_URI)
			take_name(names, ASN1_STRING_get0_data(text), ASN1_STRING_length(text));
	}
	GENERAL_NAMES_free(list);
}

/* The user that a name counts as, in a range that the kernel's users do not reach. */
static uint32_t user_of(const char *name)
{
	unsigned char digest[SD_DIGEST_BYTES];
	uint32_t user;

	sd_digest((struct sd_text){ name, (uint32_t)strlen(name) }, digest);
	memcpy(&user, digest, sizeof(user));
	return user | UINT32_C(0x80000000);
}

bool sd_tls_who(struct ssl_st *ssl, const struct sd_config *config, struct sd_who *who, char name[SD_TLS_NAME_MAX])
{
	struct names names = { config, who, false, name };
	const unsigned char *protocol;
	unsigned protocol_len;
	X509 *certificate;

	name[0] = '\0';
	SSL_get0_alpn_selected(ssl, &protocol, &protocol_len);
	if (protocol_len == 0) /* it named none, and was not asked to choose */
		return false;
	certificate = SSL_get1_peer_certificate(ssl);
	if (!certificate)
		return !*config->tls_client_ca;
	who->may_lease = who->is_admin = false;
	take_subject(&names, certificate);
	take_alternatives(&names, certificate);
	X509_free(certificate);
	who->uid = user_of(name);
	return names.may_enter;
}
