/* gen.h - requests by seed: every feature of the contract, alone and mixed; and requests that are wrong.
 *
 * A request is made as the JSON that a client would send, so that all of the way in is tried with it.
 * Graph `number` of seed `seed` is the same on every machine, whichever graphs are made beside it.
 * The parts below add to a request that is being made; what they draw comes from its own state. */
#ifndef GEN_H
#define GEN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What a graph may hold; most graphs hold some of these. */
#define FEATURE_LIST(X)                                                                                        \
	X(LABEL) X(USER) X(GROUP) X(NEW_STREAM) X(ATTACHED) X(CONTINUOUS) X(STARTS) X(LOOP) X(BODIES) X(TURNS) \
	X(COMM) X(OVERWRITES) X(WRITES) X(CORES) X(TAGS) X(HOST) X(PRIORITY) X(SITE) X(CV) X(TASKS) X(UNPLACED) \
	X(FUSION) X(VARIABLES) X(TIMES) X(FACTS)

enum feature_bit {
#define SD_X(name) FEATURE_BIT_##name,
	FEATURE_LIST(SD_X)
#undef SD_X
	FEATURE_BITS
};

enum feature {
#define SD_X(name) HAS_##name = 1 << FEATURE_BIT_##name,
	FEATURE_LIST(SD_X)
#undef SD_X
};

struct gen {
	uint32_t state; /* of random.h */
	uint32_t has;   /* of enum feature */
	uint32_t names, labels, started, size;
	uint32_t users; /* of a hundred nodes, those with a label of the user's */
	bool single, explicit, dynamic;
	const struct fault *fault; /* gen_wrong.c */
	json_t *request;
	json_t *graph, *nodes, *bodies, *options, *device, *limits; /* lent by the request */
};

/* Which graphs are made: all; without a fault; of these, without bodies, with bodies, with hazards (and without bodies,
 * every engine stated, the shape known), with hazards and bodies. */
enum random_kind { RANDOM_ALL, RANDOM_SOUND, RANDOM_FLAT, RANDOM_BODIES, RANDOM_HAZARDS, RANDOM_HAZARDS_BODIES };
#define RANDOM_KINDS { "all", "sound", "flat", "bodies", "hazards", "hazards-bodies" }

/* A new reference. */
json_t *random_request(uint32_t seed, uint32_t number, enum random_kind kind);

/* ---- drawing ---- */

uint32_t draw(struct gen *g, uint32_t bound);
int draw_between(struct gen *g, int low, int high); /* both included */
bool chance(struct gen *g, uint32_t percent);
const char *draw_text(struct gen *g, const char *const *text, size_t count);
#define DRAW(g, ...) draw_text((g), (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))
int draw_int(struct gen *g, const int *value, size_t count);
#define DRAW_INT(g, ...) draw_int((g), (const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

/* ---- nodes ---- */

/* Appends a node; `name` may be NULL for a fresh one, `engine` for none stated. Lent by the list. */
json_t *add_node(struct gen *g, json_t *nodes, const char *name, const char *type, const char *engine);
const char *name_of(const json_t *node);
const char *type_of(const json_t *node);
bool is_type(const json_t *node, const char *type);
/* A constant, an input, an output, or what starts and ends bodies: nodes that features leave alone. */
bool is_fixed(const json_t *node);
void set_attr(json_t *node, const char *key, json_t *value); /* takes the reference */
json_t *attr_of(const json_t *node, const char *key);
/* An input behind those that are there: "name:port", "^name" for port -1. */
void add_input(json_t *node, const char *name, int port);
/* Some node in front of `end` that others may read; NULL where there is none. */
json_t *draw_node(struct gen *g, json_t *nodes, size_t end);
/* Puts a node of the engines in use behind the nodes of the list, with inputs from those in front of it. */
json_t *add_operator(struct gen *g, json_t *nodes, const char *scope);

/* ---- parts ---- */

void add_bodies(struct gen *g, uint32_t count);    /* gen_bodies.c: functional nodes in the root */
json_t *add_bodies_of(struct gen *g, const char *type, int bodies, bool lowered); /* one of a wanted kind */
void add_starts(struct gen *g);                    /* gen_starts.c: streams that labels start, in the root */
void add_started(struct gen *g, json_t *nodes);    /* a starter, then nodes of the streams that it starts, among others */
void add_loop(struct gen *g);
void dress_nodes(struct gen *g, json_t *nodes);    /* gen_attrs.c: attributes */
void dress_attached(struct gen *g, json_t *nodes); /* gen_attached.c */
void dress_hazards(struct gen *g, json_t *nodes);  /* gen_hazards.c */
void draw_options(struct gen *g);                  /* gen_options.c */
void draw_device(struct gen *g);
void draw_partition(struct gen *g);
void prepare_fault(struct gen *g);                 /* gen_wrong.c: chooses a fault, before anything is made */
void put_fault(struct gen *g);                     /* puts it in; some find no place in a graph */

#endif
