/* device_uses_test - memory of every device, and what is built on devices: growing allocators, the memory pool. */
#include "device_world.h"

#include "streamd/growing.h"
#include "streamd/memory_pool.h"

START_TEST(memory)
{
	EACH_KIND {
		char from[8] = "abcdefg", to[8] = "";
		struct sd_task out = { .name = "out", .kind = SD_TASK_COPY, .target = to, .bytes = 8, .way = SD_COPY_DEVICE_TO_HOST };
		struct sd_task in = { .name = "in", .kind = SD_TASK_COPY, .source = from, .bytes = 8, .way = SD_COPY_HOST_TO_DEVICE };
		sd_handle stream;
		void *block, *none;

		open_kind(of);
		stream = new_stream(0, 0);
		IS(device->ops->memory_alloc(device, 0, SD_PAGES_HUGE_FIRST, &none, &diag), SD_INVALID_ARGUMENT);
		OK(device->ops->memory_alloc(device, 100, SD_PAGES_NORMAL_FIRST, &block, &diag));
		in.target = block;
		out.source = block;
		OK(device->ops->submit(device, stream, &in, 1, &diag));
		OK(device->ops->submit(device, stream, &out, 1, &diag));
		finish(stream);
		ck_assert_str_eq(to, from);
		if (of == ACL)
			standin.standin_fail("aclrtMalloc", 1, 207001, NULL);
		if (of == CUDA)
			standin.standin_fail("cuMemAllocAsync", 1, 2, NULL);
		is_short_of(device->ops->memory_alloc(device, 16 << 20, SD_PAGES_HUGE_FIRST, &none, &diag), "memory");
		OK(device->ops->memory_free(device, block, &diag));
		IS(device->ops->memory_free(device, block, &diag), SD_NOT_FOUND);
		close_kind();
	}
}
END_TEST

/* What an executor keeps from run to run works on every device. */
START_TEST(growing)
{
	EACH_KIND {
		struct sd_growing_set set;
		sd_handle main_stream, *stream, *event, *notify;

		open_kind(of);
		main_stream = new_stream(0, 0);
		OK(sd_growing_set_open(&set, NULL, device, &diag));
		sd_growing_set_main(set.streams, main_stream);
		for (uint32_t round = 0; round < 2; round++) { /* the second needs less, and nothing shrinks */
			OK(sd_growing_acquire(set.streams, 4 - round, &stream, &diag));
			OK(sd_growing_acquire(set.events, 3 - round, &event, &diag));
			OK(sd_growing_acquire(set.notifies, 2 - round, &notify, &diag));
			ck_assert_uint_eq(facts_now().streams_used, 4);
			ck_assert_uint_eq(facts_now().events_used, 3);
			ck_assert_uint_eq(facts_now().notifies_used, 2);
			OK(device->ops->submit(device, stream[0], &count, 1, &diag));
			OK(device->ops->event_record(device, stream[0], event[0], &diag));
			OK(device->ops->event_wait(device, stream[1], event[0], &diag));
			OK(device->ops->notify_record(device, stream[1], notify[0], &diag));
			OK(device->ops->notify_wait(device, stream[2], notify[0], &diag));
			finish(stream[2]);
			ck_assert_int_eq(atomic_load(&ran), (int)round + 1);
			finish(main_stream);
		}
		is_short_of(sd_growing_acquire(set.streams, MOST + 1, &stream, &diag), "streams");
		is_short_of(sd_growing_acquire(set.streams, SD_GROWING_STREAMS_END, &stream, &diag), "2024 streams are asked for");
		is_short_of(sd_growing_acquire(set.events, SD_GROWING_EVENTS_END, &event, &diag), "4097 events are asked for");
		is_short_of(sd_growing_acquire(set.notifies, SD_GROWING_NOTIFIES_END, &notify, &diag), "1024 notifies are asked for");
		sd_growing_set_close(&set);
		ck_assert_uint_eq(facts_now().streams_used, 1);
		ck_assert_uint_eq(facts_now().events_used + facts_now().notifies_used, 0);
		close_kind();
	}
}
END_TEST

/* A pool of memory over every device: cut from what it has, given again behind an event, given back. */
START_TEST(pool_of_memory)
{
	EACH_KIND {
		struct sd_memory_pool_options options = { .reuse = SD_REUSE_FOLLOW_EVENTS, .max_bytes = 4 << 20 };
		struct sd_memory_pool_stats stats;
		sd_handle first, second, event;
		struct sd_memory_pool *pool;
		void *block, *again, *none;

		open_kind(of);
		first = new_stream(0, 0);
		second = new_stream(0, 0);
		event = new_event();
		OK(sd_memory_pool_open(&options, device, &pool, &diag));
		OK(sd_memory_pool_alloc(pool, 3 << 19, first, SD_PAGES_HUGE_FIRST, "weights", &block, &diag));
		is_short_of(sd_memory_pool_alloc(pool, 3 << 20, first, SD_PAGES_NORMAL_FIRST, "more", &none, &diag), "by 'weights'");
		OK(sd_memory_pool_free(pool, block, first, &diag));
		OK(sd_memory_pool_recorded(pool, first, event, &diag));
		OK(device->ops->event_record(device, first, event, &diag));
		OK(device->ops->event_wait(device, second, event, &diag));
		OK(sd_memory_pool_waited(pool, second, event, &diag));
		OK(sd_memory_pool_alloc(pool, 3 << 19, second, SD_PAGES_HUGE_FIRST, "weights", &again, &diag));
		ck_assert_ptr_eq(again, block);
		sd_memory_pool_stats(pool, &stats);
		ck_assert_uint_eq(stats.by_event, 1);
		finish(first);
		finish(second);
		OK(sd_memory_pool_free(pool, again, SD_NO_HANDLE, &diag));
		ck_assert_uint_gt(sd_memory_pool_trim(pool, 0), 0);
		sd_memory_pool_stats(pool, &stats);
		ck_assert_uint_eq(stats.reserved_bytes, 0);
		if (of == ACL || of == CUDA)
			ck_assert_uint_eq(standin.standin_live(STANDIN_MEMORY), 0);
		OK(sd_memory_pool_close(pool, &diag));
		close_kind();
	}
}
END_TEST

RUN_TESTS("device_uses", memory, growing, pool_of_memory)
