#include "streamd/std_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void sd_std_files_take(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* the lowest that is free, which is this one */
	}
}
