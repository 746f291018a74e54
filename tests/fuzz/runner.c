/* runner - drives a fuzz target without libFuzzer.
 *
 * usage: NAME_fuzz [--runs N] [--seed S] [CORPUS...]
 * Runs the target on every file of the corpus folders or files, then on N mutants of
 * them made by seed. What it runs next lies in `fuzz-last-NAME` of the folder $LOGS (or
 * here) when the target crashes, so that the file alone replays it. The last line is
 * 'N passed, N failed': a crash ends the program before it. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEEDS_MAX 4096
#define INPUT_MAX (1u << 20)
#define PATH_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seed {
	uint8_t *data;
	size_t size;
};

static struct seed seeds[SEEDS_MAX];
static size_t seed_count;
static uint64_t state = 1;
static uint8_t input[INPUT_MAX];
static size_t input_size;
static char last_path[PATH_BYTES];

/* xorshift64*: enough for mutants, the same everywhere. */
static uint32_t draw(uint32_t bound)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * UINT64_C(2685821657736338717)) >> 33) % bound;
}

static void keep_last(int signal_number)
{
	int file = open(last_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (file >= 0 && write(file, input, input_size) == (ssize_t)input_size)
		(void)!write(2, "the input is kept, see fuzz-last-*\n", 35);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* With a sanitizer the report ends the process without a signal. */
void __asan_on_error(void);
void __asan_on_error(void)
{
	keep_last(SIGABRT);
}

static void add_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file || seed_count == SEEDS_MAX)
		abort();
	size = fread(input, 1, sizeof(input), file);
	fclose(file);
	seeds[seed_count].data = malloc(size ? size : 1);
	if (!seeds[seed_count].data)
		abort();
	memcpy(seeds[seed_count].data, input, size);
	seeds[seed_count++].size = size;
}

static void add(const char *path)
{
	DIR *folder = opendir(path);
	char name[PATH_BYTES];

	if (!folder) {
		add_file(path);
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		add_file(name);
	}
	closedir(folder);
}

static void mutate_once(void)
{
	uint32_t at = input_size ? draw((uint32_t)input_size) : 0;
	uint32_t len = 1 + draw(16);

	switch (draw(7)) {
	case 0: /* flip a bit */
		if (input_size)
			input[at] ^= (uint8_t)(1u << draw(8));
		break;
	case 1: /* any byte */
		if (input_size)
			input[at] = (uint8_t)draw(256);
		break;
	case 2: /* a byte that varints and lengths turn on */
		if (input_size)
			input[at] = (uint8_t[]){ 0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x08 }[draw(8)];
		break;
	case 3: /* cut out */
		if (len <= input_size - at) {
			memmove(input + at, input + at + len, input_size - at - len);
			input_size -= len;
		}
		break;
	case 4: /* repeat a piece */
		if (len <= input_size - at && input_size + len <= INPUT_MAX) {
			memmove(input + at + len, input + at, input_size - at);
			input_size += len;
		}
		break;
	case 5: /* cut the end off */
		if (draw(4) == 0)
			input_size = at;
		break;
	case 6: { /* take the end of another seed */
		const struct seed *other = &seeds[draw((uint32_t)seed_count)];
		uint32_t from = other->size ? draw((uint32_t)other->size) : 0;
		size_t more = other->size - from;

		if (draw(4) == 0 && at + more <= INPUT_MAX) {
			memcpy(input + at, other->data + from, more);
			input_size = at + more;
		}
		break;
	}
	}
}

static void load(const struct seed *seed)
{
	input_size = seed->size;
	memcpy(input, seed->data, seed->size);
}

/* The target gets a block of exactly its size, so that a sanitizer sees an overrun. */
static void run_input(void)
{
	uint8_t *block = malloc(input_size ? input_size : 1);

	if (!block)
		abort();
	memcpy(block, input, input_size);
	LLVMFuzzerTestOneInput(block, input_size);
	free(block);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
	const char *folder = getenv("LOGS");
	unsigned long runs = 0;

	snprintf(last_path, sizeof(last_path), "%s/fuzz-last-%s", folder ? folder : ".", base_name(argv[0]));
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
			runs = strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			state = strtoull(argv[++i], NULL, 10) * 2654435761u + 1;
		else
			add(argv[i]);
	}
	for (int i = 0; i < 5; i++)
		signal((int[]){ SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT }[i], keep_last);
	if (seed_count == 0)
		seeds[seed_count++] = (struct seed){ (uint8_t *)calloc(1, 1), 0 };
	for (size_t i = 0; i < seed_count; i++) {
		load(&seeds[i]);
		run_input();
	}
	for (unsigned long i = 0; i < runs; i++) {
		load(&seeds[draw((uint32_t)seed_count)]);
		for (uint32_t k = 1 + draw(8); k > 0; k--)
			mutate_once();
		run_input();
	}
	for (size_t i = 0; i < seed_count; i++)
		free(seeds[i].data);
	printf("%zu seeds, %lu mutants\n1 passed, 0 failed\n", seed_count, runs);
	return 0;
}
