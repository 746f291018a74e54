/* check.h - checks that stay on in release builds.
 *
 * SD_REQUIRE guards memory safety and the program's own rules: one line on
 * standard error, then abort. It never depends on what a request says. */
#ifndef SD_CHECK_H
#define SD_CHECK_H

_Noreturn void sd_check_failed(const char *file, int line, const char *what);

#define SD_REQUIRE(cond)                                             \
	do {                                                         \
		if (__builtin_expect(!(cond), 0))                    \
			sd_check_failed(__FILE__, __LINE__, #cond);  \
	} while (0)

#endif
