/* status_page.h - the status page, as page/make.py puts it together at build time. */
#ifndef SD_STATUS_PAGE_H
#define SD_STATUS_PAGE_H

#include <stddef.h>

extern const unsigned char sd_status_page[];
extern const size_t sd_status_page_len;
extern const char sd_status_page_policy[]; /* its Content-Security-Policy */
extern const char sd_status_page_id[];     /* another one for another page: one that is open is then loaded again */

#endif
