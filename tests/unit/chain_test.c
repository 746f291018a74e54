/* chain_test - the pass table holds together: facts, names, revisions, files. */
#include "run_tests.h"

#include <dirent.h>

#include "chain.h"

static const struct {
	const char *name;
	enum sd_when when;
} modes[] = { { "multi", SD_MULTI }, { "single", SD_SINGLE }, { "explicit", SD_EXPLICIT },
              { "dynamic", SD_DYNAMIC }, { "dyn_one", SD_DYN_ONE } };

/* The facts after the rows [first, end) that run in a mode, by the algebra alone. */
static uint32_t facts_after(enum sd_when when, const char *mode, uint32_t first, uint32_t end, uint32_t have)
{
	for (uint32_t i = first; i < end; i++) {
		const struct sd_pass *pass = &sd_chain[i];

		if (!(pass->when & when))
			continue;
		ck_assert_msg((pass->needs & ~have) == 0, "%s: %s misses facts %x", mode, pass->name, pass->needs & ~have);
		ck_assert_msg((pass->drops & ~have) == 0, "%s: %s drops what is not there", mode, pass->name);
		have = (have & ~pass->drops) | pass->gives;
	}
	return have;
}

static uint32_t group_end(uint32_t first)
{
	while (first < sd_chain_length && sd_chain[first].scope == SD_EACH_GRAPH)
		first++;
	return first;
}

START_TEST(every_mode_reaches_the_plan)
{
	for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		uint32_t have = 0, row = 0;

		while (row < sd_chain_length) {
			uint32_t end = group_end(row);

			end += end == row;
			have = facts_after(modes[m].when, modes[m].name, row, end, have);
			row = end;
		}
		ck_assert_msg(have & SD_FACT_FROZEN, "%s ends without a plan", modes[m].name);
	}
}
END_TEST

START_TEST(every_fact_is_given_and_needed)
{
	uint32_t given = 0, needed = 0, all = (1u << SD_FACT_BITS) - 1;

	for (uint32_t i = 0; i < sd_chain_length; i++) {
		given |= sd_chain[i].gives;
		needed |= sd_chain[i].needs;
	}
	ck_assert_uint_eq(given, all);
	ck_assert_uint_eq(needed, all);
}
END_TEST

START_TEST(rows_are_whole_and_names_unique)
{
	for (uint32_t i = 0; i < sd_chain_length; i++) {
		ck_assert_uint_ge(sd_chain[i].rev, 1);
		ck_assert_uint_le(sd_chain[i].rev, UINT8_MAX); /* the fingerprint takes one byte of it */
		ck_assert_uint_ne(sd_chain[i].when, 0);
		ck_assert_uint_eq(sd_chain[i].when & ~(uint32_t)SD_ALWAYS, 0);
		ck_assert(sd_chain[i].run != NULL);
		for (uint32_t k = 0; k < i; k++) {
			ck_assert_str_ne(sd_chain[i].name, sd_chain[k].name);
			ck_assert(sd_chain[i].run != sd_chain[k].run);
		}
	}
}
END_TEST

/* Passes that see one graph after the other stand together: a body finds its parent placed. All
 * graphs are placed by clusters before the first one is placed anew by paths. */
START_TEST(graphs_are_visited_for_clusters_and_for_paths)
{
	uint32_t groups = 0;

	for (uint32_t i = 0; i < sd_chain_length; i++) {
		if (sd_chain[i].scope == SD_EACH_GRAPH && (i == 0 || sd_chain[i - 1].scope == SD_WHOLE))
			ck_assert_str_eq(sd_chain[i].name, groups++ == 0 ? "cluster" : "cover_paths");
	}
	ck_assert_uint_eq(groups, 2);
}
END_TEST

static bool has_row(const char *name, size_t len)
{
	for (uint32_t i = 0; i < sd_chain_length; i++) {
		if (strlen(sd_chain[i].name) == len && memcmp(sd_chain[i].name, name, len) == 0)
			return true;
	}
	return false;
}

START_TEST(every_file_has_a_row_and_every_row_a_file)
{
	DIR *folder = opendir(SOURCE_ROOT "/allocator/pass");
	const struct dirent *entry;
	uint32_t files = 0;

	ck_assert_ptr_nonnull(folder);
	while ((entry = readdir(folder))) {
		size_t len = strlen(entry->d_name);

		if (len < 2 || strcmp(entry->d_name + len - 2, ".c") != 0)
			continue;
		files++;
		ck_assert_msg(has_row(entry->d_name, len - 2), "%s has no row in chain.c", entry->d_name);
	}
	closedir(folder);
	ck_assert_uint_eq(files, sd_chain_length);
}
END_TEST

START_TEST(listing_tells_the_table)
{
	struct sd_arena mem;
	struct sd_pass_row row;

	sd_arena_init(&mem, 0);
	for (uint32_t i = 0; i < sd_chain_length; i++) {
		ck_assert(sd_pass_row(&mem, i, &row));
		ck_assert_str_eq(row.name, sd_chain[i].name);
		ck_assert_uint_eq(row.rev, sd_chain[i].rev);
		ck_assert_str_eq(row.gives, sd_chain[i].gives == 0 ? "-" : row.gives);
		if (strcmp(row.name, "make_slots") == 0) {
			ck_assert_str_eq(row.when, "always");
			ck_assert_str_eq(row.needs, "SCOPES STARTS");
			ck_assert_str_eq(row.gives, "SLOTS");
		}
		if (strcmp(row.name, "cluster") == 0)
			ck_assert_str_eq(row.when, "multi single dynamic");
		if (strcmp(row.name, "place_engines") == 0)
			ck_assert_str_eq(row.needs, "-");
	}
	ck_assert(!sd_pass_row(&mem, sd_chain_length, &row));
	ck_assert(!sd_pass_row(&mem, UINT32_MAX, &row));
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("chain", every_mode_reaches_the_plan, every_fact_is_given_and_needed, rows_are_whole_and_names_unique, graphs_are_visited_for_clusters_and_for_paths,
          every_file_has_a_row_and_every_row_a_file, listing_tells_the_table)
