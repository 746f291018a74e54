/* THE SITE'S TABLE: custom stream passes that streamd and streamctl run, in this order.
 *
 * Write a pass above the table, add its row in front of the last one, build. stream_pass.h
 * says what a pass may do. */
#include "streamd/stream_pass.h"

const struct sd_stream_pass sd_site_passes[] = {
	{ .name = NULL },
};
