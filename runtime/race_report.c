/* What a race check found, and its words. */
#include <stdio.h>

#include "race_impl.h"

const char *sd_race_kind_name(enum sd_race_kind kind)
{
	static const char *const name[] = { "RAW", "WAR", "WAW", "READ_BEFORE_SYNC", "USE_AFTER_FREE_ASYNC" };

	return name[kind];
}

static void fill(const struct sd_race_check *check, uint32_t task, struct sd_race_end *end)
{
	if (task == SD__HOST_TASK) {
		*end = (struct sd_race_end){ .name = "host" };
		return;
	}
	*end = (struct sd_race_end){ .stream = check->task[task].stream, .index = check->task[task].index, .tag = check->task[task].tag };
	snprintf(end->name, sizeof(end->name), "%s", check->task[task].name);
}

static bool is_end(const struct sd_race_check *check, uint32_t task, const struct sd_race_end *end)
{
	if (task == SD__HOST_TASK)
		return end->stream == SD_NO_HANDLE;
	return check->task[task].stream == end->stream && check->task[task].index == end->index;
}

/* A pair that was just told of: its first range grows, others of it are not told. */
static bool is_told(struct sd_race_check *check, enum sd_race_kind kind, uint32_t first, uint32_t second, uint64_t begin, uint64_t end)
{
	uint64_t kept = check->found < SD_RACES_MAX ? check->found : SD_RACES_MAX;

	while (kept-- > 0) {
		struct sd_race *race = &check->race[kept];

		if (!is_end(check, second, &race->second))
			return false;
		if (race->kind != kind || !is_end(check, first, &race->first))
			continue;
		if (race->address + race->bytes == begin)
			race->bytes = end - race->address;
		return second != SD__HOST_TASK || race->address + race->bytes == end;
	}
	return false;
}

void sd__race_found(struct sd_race_check *check, enum sd_race_kind kind, uint32_t first, uint32_t second, uint64_t begin, uint64_t end)
{
	if (is_told(check, kind, first, second, begin, end))
		return;
	if (check->found < SD_RACES_MAX) {
		struct sd_race *race = &check->race[check->found];

		race->kind = kind;
		race->address = begin;
		race->bytes = end - begin;
		fill(check, first, &race->first);
		fill(check, second, &race->second);
	}
	check->found++;
}

uint64_t sd_race_count(const struct sd_race_check *check)
{
	return check->found;
}

const struct sd_race *sd_race_at(const struct sd_race_check *check, uint32_t i)
{
	return i < SD_RACES_MAX && i < check->found ? &check->race[i] : NULL;
}

/* "matmul (stream 3, task 7)". */
static void name_end(const struct sd_race_end *end, char *out, size_t cap)
{
	if (end->stream == SD_NO_HANDLE)
		snprintf(out, cap, "the host");
	else
		snprintf(out, cap, "%s (stream %llu, task %llu)", end->name, (unsigned long long)end->stream, (unsigned long long)end->index);
}

size_t sd_race_text(const struct sd_race *race, char *out, size_t cap)
{
	static const char *const first_does[] = { "writes", "reads", "writes", "writes", "uses" };
	static const char *const second_does[] = { "reads", "writes", "writes", "reads", "frees" };
	char first[SD_RACE_NAME_MAX + 64], second[SD_RACE_NAME_MAX + 64];
	const struct sd_race_end *a = &race->first, *b = &race->second;
	bool used_freed = race->kind == SD_RACE_USE_AFTER_FREE && a->stream == SD_NO_HANDLE;
	int len;

	name_end(a, first, sizeof(first));
	name_end(b, second, sizeof(second));
	len = snprintf(out, cap, "%s: %s %s and %s %s 0x%llx + %llu bytes", sd_race_kind_name(race->kind), first,
	               used_freed ? "freed" : first_does[race->kind], second, used_freed ? "uses" : second_does[race->kind],
	               (unsigned long long)race->address, (unsigned long long)race->bytes);
	if (len < 0 || (size_t)len >= cap)
		return cap ? cap - 1 : 0;
	if (used_freed)
		len += snprintf(out + len, cap - (size_t)len, "; free it when that task is done");
	else if (b->stream == SD_NO_HANDLE)
		len += snprintf(out + len, cap - (size_t)len, ", which has not waited for it; let the host wait for stream %llu before",
		                (unsigned long long)a->stream);
	else
		len += snprintf(out + len, cap - (size_t)len, ", and nothing orders them; record an event after %s on stream %llu, wait for it before %s on stream %llu",
		                a->name, (unsigned long long)a->stream, b->name, (unsigned long long)b->stream);
	return (size_t)len < cap ? (size_t)len : cap - 1;
}
