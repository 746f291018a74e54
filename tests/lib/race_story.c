#include "race_story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void wrong(const char *word)
{
	fprintf(stderr, "no story has the word %s\n", word);
	abort();
}

static enum sd_status task(struct sd_race_check *check, const char *word)
{
	struct sd_access access[16];
	uint32_t count = 0;

	for (const char *at = word + 2; at[0] && at[1]; at += 2) {
		if ((at[0] != 'r' && at[0] != 'w') || count == 16)
			wrong(word);
		access[count++] = (struct sd_access){ (uint64_t)(at[1] - '0') * STORY_CELL_BYTES, STORY_CELL_BYTES, at[0] == 'w' };
	}
	return sd_race_task(check, (sd_handle)word[0], (char[]){ word[0], '\0' }, 0, access, count);
}

static enum sd_status host(struct sd_race_check *check, const char *word)
{
	uint64_t address = (uint64_t)(word[2] - '0') * STORY_CELL_BYTES;

	switch (word[1]) {
	case 'r': return sd_race_host_access(check, address, STORY_CELL_BYTES, false);
	case 'w': return sd_race_host_access(check, address, STORY_CELL_BYTES, true);
	case 'f': return sd_race_memory_freed(check, address, STORY_CELL_BYTES);
	case 'g': return sd_race_memory_given(check, address, STORY_CELL_BYTES);
	}
	wrong(word);
	return SD_OK;
}

static enum sd_status one(struct sd_race_check *check, const char *word)
{
	sd_handle stream = (sd_handle)word[0], number = word[1] && word[2] ? (sd_handle)(word[2] - '0') : 0;

	if (word[0] == 'h' && word[1] && strchr("rwfg", word[1]))
		return host(check, word);
	switch (word[1]) {
	case ':': return task(check, word);
	case '!': return sd_race_record(check, stream, number);
	case '?': return sd_race_wait(check, stream, number);
	case '+': return sd_race_notify_record(check, stream, number);
	case '-': return sd_race_notify_wait(check, stream, number);
	case '#': return sd_race_hold(check, stream);
	case '>': return sd_race_activate(check, stream, (sd_handle)word[2]);
	case '.': return word[0] >= 'a' ? sd_race_stream_done(check, stream) : sd_race_event_done(check, stream - '0');
	}
	wrong(word);
	return SD_OK;
}

enum sd_status race_story(struct sd_race_check *check, const char *words)
{
	enum sd_status status = SD_OK;
	char word[64];
	int used;

	while (status == SD_OK && sscanf(words, " %63s%n", word, &used) == 1) {
		status = one(check, word);
		words += used;
	}
	return status;
}

static size_t put_end(const struct sd_race_end *end, char *out, size_t cap)
{
	int len = end->stream == SD_NO_HANDLE ? snprintf(out, cap, "host") : snprintf(out, cap, "%s%llu", end->name, (unsigned long long)end->index);

	return len < 0 ? 0 : (size_t)len;
}

void race_found(const char *words, char *out, size_t cap)
{
	struct sd_race_check *check;
	size_t len = 0;

	if (sd_race_check_create(&check) != SD_OK || race_story(check, words) != SD_OK)
		wrong(words);
	out[0] = '\0';
	for (uint32_t i = 0; i < sd_race_count(check); i++) {
		const struct sd_race *race = sd_race_at(check, i);

		len += (size_t)snprintf(out + len, cap - len, "%s%s ", i ? " " : "", sd_race_kind_name(race->kind));
		len += put_end(&race->first, out + len, cap - len);
		len += (size_t)snprintf(out + len, cap - len, ">");
		len += put_end(&race->second, out + len, cap - len);
	}
	sd_race_check_destroy(check);
}
