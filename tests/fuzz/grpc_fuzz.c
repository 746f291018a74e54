/* grpc_fuzz - any bytes as what a gRPC peer sends: a whole daemon in this process answers them, and nothing of them is left when the
 * peer has gone.
 *
 * The first byte says how the rest comes: bit 0, behind the preface and empty SETTINGS; bit 1, whether the peer reads what it is
 * answered; bit 2, whether it is known to have ended sending before it goes; bit 3, whether it waits until no job of it is left; the upper bits,
 * in pieces of how many bytes. */
#include <sys/socket.h>
#include <unistd.h>

#include "lib/daemon_here.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small limits, so that short inputs reach them, and times that no input outlasts. */
static const char *const settings[] = {
	"jobs.workers", "2", "socket.frame_bytes_max", "64 KiB", "jobs.queue_bytes_max", "256 KiB", "limits.job_bytes_max", "8 MiB",
	"limits.nodes_max", "500", "jobs.deadline_default", "2 s", "jobs.deadline_max", "2 s", "batch.items_max", "16", "batch.jobs_max", "3",
	"grpc.streams_max", "8", "grpc.header_bytes_max", "4 KiB", "grpc.compress_above", "64", "socket.owed_bytes_max", "8 KiB",
	"socket.unread_bytes_max", "64 KiB", NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t greeting[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
	bool reads;
	int peer;

	if (size == 0)
		return 0;
	daemon_here_open(settings);
	reads = data[0] & 2;
	peer = daemon_here_connect(true);
	if (data[0] & 1)
		daemon_here_talk(peer, greeting, sizeof(greeting) - 1, sizeof(greeting), reads);
	daemon_here_talk(peer, data + 1, size - 1, (size_t)1 << (data[0] >> 4), reads);
	if (data[0] & 8)
		daemon_here_wait_for_jobs(peer, reads);
	if (data[0] & 4)
		shutdown(peer, SHUT_WR);
	daemon_here_turn(peer, reads);
	close(peer);
	daemon_here_settle();
	return 0;
}
