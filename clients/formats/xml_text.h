/* xml_text.h - texts of others in XML and HTML, and how much room they take. */
#ifndef SD_XML_TEXT_H
#define SD_XML_TEXT_H

#include "emit.h"

/* The text with & < > " as entities; what XML cannot hold (control bytes, U+FFFE, bytes that are no UTF-8) as U+FFFD. */
void sd_put_xml(struct sd_emitter *out, struct sd_text text);

/* Columns of a fixed-width font: one for each character, two from U+1000 on, where wide scripts begin. */
uint32_t sd_text_columns(struct sd_text text);

/* The longest beginning that takes at most `columns`. */
struct sd_text sd_text_cut(struct sd_text text, uint32_t columns);

#endif
