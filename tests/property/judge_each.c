/* judge_each - the judge's word on many plans in one process, as `streamctl verify` says it on one.
 *
 * Lines of standard input are the paths of a request and of a plan, with a tab between them. For each the lines that
 * `streamctl verify` prints are printed, and behind them `= N`, the number of violations; `! CODE` where one of both cannot be read. */
#include <stdio.h>
#include <string.h>

#include "formats/plan_answer.h"
#include "formats/plan_json.h"
#include "formats/request.h"
#include "streamd/verify.h"

static enum sd_status judge(struct sd_arena *mem, const char *request_path, const char *plan_path, struct sd_diag *diag)
{
	struct sd_request request = { 0 };
	struct sd_text file, bytes;
	struct sd_plan plan;
	struct sd_verdict verdict = { 0 };
	char line[SD_MESSAGE_MAX];

	SD_TRY(sd_input_read(mem, request_path, &file, diag));
	SD_TRY(sd_input_bytes(mem, sd_input_kind(request_path, file), file, NULL, NULL, &bytes, diag));
	SD_TRY(sd_request_take(mem, bytes, &request, diag));
	SD_TRY(sd_input_read(mem, plan_path, &file, diag));
	SD_TRY(sd_plan_read_json(mem, file, &request.graph, &plan, diag));
	if (sd_verify(mem, &request, &plan, NULL, NULL, &verdict) != SD_OK) {
		*diag = verdict.why;
		return SD_INTERNAL;
	}
	for (uint32_t i = 0; i < verdict.count && i < SD_VIOLATIONS_MAX; i++) {
		struct sd_names names = sd_graph_names(&request.graph);

		sd_violation_text(&verdict.violation[i], &names, line, sizeof(line));
		puts(line);
	}
	printf("= %u\n", verdict.count);
	return SD_OK;
}

int main(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		char *tab = strchr(line, '\t');
		struct sd_diag diag = { .code = SD_CODE_NONE };
		struct sd_arena mem;

		if (!tab)
			return 2;
		*tab = 0;
		tab[1 + strcspn(tab + 1, "\n")] = 0;
		sd_arena_init(&mem, 0);
		if (judge(&mem, line, tab + 1, &diag) != SD_OK)
			printf("! %s\n", sd_code_text(diag.code));
		fflush(stdout);
		sd_arena_finish(&mem);
	}
	return 0;
}
