/* threads - the same request gives the same bytes on every thread.
 *
 * usage: threads REQUEST...
 * Plans each request once, then at the same time on THREADS threads, ROUNDS times each,
 * in arenas that are reused as a worker's are. Prints one TAP line a request. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/local.h"

#define THREADS 4
#define ROUNDS 5

struct task {
	struct sd_text request, whole;
	enum sd_status status;
	int differ;
};

static void *plan_again(void *arg)
{
	struct task *task = arg;
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	for (int i = 0; i < ROUNDS; i++) {
		struct sd_diag diag = { .code = SD_CODE_NONE };
		struct local_answer answer = { 0 };
		enum sd_status status = local_plan(&mem, task->request, &answer, &diag, NULL);

		task->differ += status != task->status || (status == SD_OK && !sd_text_equal(answer.bytes, task->whole));
		sd_arena_reset(&mem, 1u << 20);
	}
	sd_arena_finish(&mem);
	return NULL;
}

static int differences(struct sd_text request)
{
	struct sd_arena mem;
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct local_answer answer = { 0 };
	struct task task[THREADS];
	pthread_t thread[THREADS];
	enum sd_status status;
	int differ = 0;

	sd_arena_init(&mem, 0);
	status = local_plan(&mem, request, &answer, &diag, NULL);
	for (int i = 0; i < THREADS; i++) {
		task[i] = (struct task){ request, answer.bytes, status, 0 };
		if (pthread_create(&thread[i], NULL, plan_again, &task[i]) != 0)
			abort();
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		differ += task[i].differ;
	}
	sd_arena_finish(&mem);
	return differ;
}

int main(int argc, char **argv)
{
	struct sd_arena file;
	int failed = 0;

	sd_arena_init(&file, 0);
	for (int i = 1; i < argc; i++) {
		int differ = differences(local_read(&file, argv[i]));

		if (differ)
			printf("#   %d of %d plans differ\n", differ, THREADS * ROUNDS);
		printf("%s %d - %s\n", differ ? "not ok" : "ok", i, argv[i]);
		failed += differ != 0;
		sd_arena_reset(&file, 1u << 20);
	}
	printf("1..%d\n", argc - 1);
	sd_arena_finish(&file);
	return failed || argc < 2 ? 1 : 0;
}
