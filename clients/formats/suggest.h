/* suggest.h - the known word that a mistyped one is nearest to. */
#ifndef SD_SUGGEST_H
#define SD_SUGGEST_H

/* Of the words that `word_at` gives for 0, 1, ... until NULL, the one that differs from
 * `word` by the fewest changed, added or left out letters, at most half of them; else NULL. */
const char *sd_suggest(const char *word, const char *(*word_at)(const void *of, unsigned index), const void *of);

#endif
