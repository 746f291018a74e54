/* loaders - many processes that load models from one daemon, and are killed now and then.
 *
 * usage: loaders SOCKET SEED LOADERS ROUNDS BUDGET exclusive|shared
 * Prints what happened as JSON; ends with 0 if all that must hold held: never more slots are held
 * than there are, no slot is held twice, and nobody overtakes whoever waits longer and is as urgent. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/random.h"
#include "loader.h"

#define ROUNDS_A_KILL 60
#define TURN_MS 2

struct crowd {
	struct book *book;
	const char *socket;
	uint32_t seed, state, loaders;
	pid_t pid[LOADERS_MAX];
	uint32_t life[LOADERS_MAX];  /* how often it was begun */
	uint32_t living, killed, killed_from_outside;
	int32_t next_kill;           /* at so many rounds left */
};

/* Of a loader's life: none is 0. */
static uint32_t seed_of(const struct crowd *crowd, uint32_t number)
{
	uint32_t seed = crowd->seed * 2654435761u ^ (number + 1) * 40503u ^ crowd->life[number] * 2246822519u;

	return seed ? seed : 1;
}

static void begin(struct crowd *crowd, uint32_t number)
{
	pid_t pid;

	crowd->life[number]++;
	atomic_store(&crowd->book->seat[number].is_busy, 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		exit(loader_live(crowd->book, crowd->socket, number, seed_of(crowd, number)));
	crowd->pid[number] = pid;
	if (pid > 0)
		crowd->living++;
	else
		book_trouble(crowd->book, "no process can be begun: %s", strerror(errno));
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* ---- killing, and looking after them ---- */

static void take_end(struct crowd *crowd, uint32_t number, int status)
{
	crowd->pid[number] = 0;
	crowd->living--;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		crowd->killed++;
		begin(crowd, number);
		return;
	}
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != LOADER_TROUBLE))
		book_trouble(crowd->book, "loader %u ended with status %d", number, status);
}

static void look_after(struct crowd *crowd)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (uint32_t i = 0; i < crowd->loaders; i++) {
			if (crowd->pid[i] == pid)
				take_end(crowd, i, status);
		}
	}
}

/* Stops it where it does not write in the book. False: it ended meanwhile. */
static bool stop(struct crowd *crowd, uint32_t number)
{
	int status;

	for (;;) {
		kill(crowd->pid[number], SIGSTOP);
		waitpid(crowd->pid[number], &status, WUNTRACED);
		if (!WIFSTOPPED(status)) {
			take_end(crowd, number, status);
			return false;
		}
		if (!atomic_load(&crowd->book->seat[number].is_busy))
			return true;
		kill(crowd->pid[number], SIGCONT);
		pause_ms(1);
	}
}

static void kill_one(struct crowd *crowd)
{
	uint32_t number = random_below(&crowd->state, crowd->loaders);

	crowd->next_kill -= 1 + (int32_t)random_below(&crowd->state, 2 * ROUNDS_A_KILL);
	if (crowd->pid[number] <= 0 || atomic_load(&crowd->book->seat[number].is_leaving) || !stop(crowd, number))
		return;
	book_strike_all(crowd->book, number);
	kill(crowd->pid[number], SIGKILL);
	crowd->killed_from_outside++;
}

static void run(struct crowd *crowd)
{
	crowd->next_kill = atomic_load(&crowd->book->rounds_left) - ROUNDS_A_KILL;
	for (uint32_t i = 0; i < crowd->loaders; i++)
		begin(crowd, i);
	while (crowd->living) {
		look_after(crowd);
		if (atomic_load(&crowd->book->rounds_left) < crowd->next_kill)
			kill_one(crowd);
		pause_ms(TURN_MS);
	}
	if (atomic_load(&crowd->book->held))
		book_trouble(crowd->book, "%u slots are held at the end", atomic_load(&crowd->book->held));
}

/* ---- the order ---- */

/* Whether `a` stood in line, as urgent as `b` or more, for as long as `b` took from its sending to its
 * grant. What is known of `a` from outside: it came after it was sent, and not later than its answer
 * less its wait; it was served not later than its answer, and not before it was sent plus its wait. */
static bool is_overtaken(const struct book_wait *a, const struct book_wait *b)
{
	/* The time of who gives up waiting is kept by the daemon's loop, which counts whole milliseconds. */
	int64_t waited = ((int64_t)a->waited_ms - (a->is_granted ? 0 : 2)) * 1000000;

	return b->is_granted && a->priority <= b->priority && b->sent_ns > a->heard_ns - waited && b->heard_ns < a->sent_ns + waited;
}

static int by_sending(const void *left, const void *right)
{
	const struct book_wait *a = left, *b = right;

	return (a->sent_ns > b->sent_ns) - (a->sent_ns < b->sent_ns);
}

/* Answers how many others were sent and answered while somebody waited, whatever their priorities: so many
 * pairs could have shown a wrong order. */
static uint64_t judge_order(struct book *book)
{
	uint32_t count = atomic_load(&book->wait_count) < book->waits_max ? atomic_load(&book->wait_count) : book->waits_max;
	uint64_t seen = 0;

	qsort(book->wait, count, sizeof(book->wait[0]), by_sending);
	for (uint32_t i = 0; i < count; i++) {
		const struct book_wait *a = &book->wait[i];

		for (uint32_t k = i + 1; k < count && book->wait[k].sent_ns < a->heard_ns; k++) {
			const struct book_wait *b = &book->wait[k];

			seen += a->priority <= b->priority && b->is_granted && a->waited_ms > 0;
			if (is_overtaken(a, b))
				book_trouble(book, "an acquire of priority %u was sent %.1f ms after one of priority %u that waited %u ms, and was granted before",
				             b->priority, (double)(b->sent_ns - a->sent_ns) / 1e6, a->priority, a->waited_ms);
		}
	}
	return seen;
}

static void tell(const struct crowd *crowd, uint64_t pairs)
{
	const struct book *book = crowd->book;

	printf("{\"seed\": %u, \"granted\": %llu, \"refused\": %llu, \"reused\": %llu, \"broken\": %llu, \"hung_up\": %llu, ", crowd->seed,
	       (unsigned long long)book->granted, (unsigned long long)book->refused, (unsigned long long)book->reused,
	       (unsigned long long)book->broken, (unsigned long long)book->closed);
	printf("\"killed\": %u, \"from_outside\": %u, \"most_held\": %u, \"pairs\": %llu}\n", crowd->killed, crowd->killed_from_outside,
	       book->most_held, (unsigned long long)pairs);
	if (book->troubles)
		printf("%u troubles, the first: %s\n", book->troubles, book->trouble);
}

int main(int argc, char **argv)
{
	struct crowd crowd = { 0 };
	uint64_t pairs;

	if (argc != 7 || (crowd.loaders = (uint32_t)atoi(argv[3])) == 0 || crowd.loaders > LOADERS_MAX || atoi(argv[4]) <= 0) {
		fprintf(stderr, "usage: loaders SOCKET SEED LOADERS ROUNDS BUDGET exclusive|shared\n");
		return 2;
	}
	crowd.socket = argv[1];
	crowd.seed = (uint32_t)strtoul(argv[2], NULL, 10);
	crowd.state = crowd.seed + 1;
	crowd.book = book_open((uint32_t)atoi(argv[5]), atoi(argv[4]), strcmp(argv[6], "shared") == 0);
	if (!crowd.book)
		return 2;
	run(&crowd);
	pairs = judge_order(crowd.book);
	tell(&crowd, pairs);
	return crowd.book->troubles ? 1 : 0;
}
