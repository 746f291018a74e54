#include "streamd/vendor_errors.h"

#define ARGUMENT SD_CODE_VENDOR_ARGUMENT
#define EXHAUSTED SD_CODE_VENDOR_EXHAUSTED
#define STATE SD_CODE_VENDOR_STATE
#define UNSUPPORTED SD_CODE_VENDOR_UNSUPPORTED
#define BUSY SD_CODE_VENDOR_BUSY
#define TIMEOUT SD_CODE_VENDOR_TIMEOUT
#define FAILED SD_CODE_VENDOR_FAILED
#define NOTHING SD_VENDOR_NO_RESOURCE

#define CUDA(number, name, code, resource, layer, is_retryable, sentence) \
	{ number, "CUDA_ERROR_" name, code, resource, layer, is_retryable, "CUDA_ERROR_" name ": " sentence }

static const struct sd_vendor_error table[] = {
	{ 107000, NULL, ARGUMENT, NOTHING, SD_VENDOR_RUNTIME, false, "an argument is not valid; correct it" },
	{ 107001, NULL, ARGUMENT, NOTHING, SD_VENDOR_RUNTIME, false, "there is no such device; use a number below the count of devices" },
	{ 107002, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the thread has no context; set the device first" },
	{ 107003, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the stream belongs to another context; use it in its own" },
	{ 107004, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the model belongs to another context; use it in its own" },
	{ 107005, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the stream is bound to a model, or is not and has to be; bind or unbind it first" },
	{ 107006, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the event holds no time; record it and wait until it is done" },
	{ 107007, NULL, ARGUMENT, NOTHING, SD_VENDOR_RUNTIME, false, "the end was recorded before the start; exchange the two events" },
	{ 107019, NULL, TIMEOUT, NOTHING, SD_VENDOR_RUNTIME, false, "a wait took longer than it may; allow more time, or look for what never records" },
	{ 107020, NULL, TIMEOUT, NOTHING, SD_VENDOR_OPERATOR, false, "a task took longer than it may; allow more time, or make the operator faster" },
	{ 107023, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the stream was aborted and its tasks are gone; give it its tasks again" },
	{ 107024, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "a wait stands for an event that was not recorded; record it first" },
	{ 107025, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "a captured stream was not joined; let the first stream wait for it" },
	{ 107026, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the stream is not being captured; begin the capture first" },
	{ 107027, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the stream is being captured; end the capture first" },
	{ 107028, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the capture is void; end it and begin again" },
	{ 107029, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "another stream leads the capture; end it there" },
	{ 107030, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the call is not allowed while something is captured; make it before or after" },
	{ 107031, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the default stream was used while something is captured; name a stream" },
	{ 107032, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the captured work depends on work outside; join the two first" },
	{ 107037, NULL, BUSY, NOTHING, SD_VENDOR_RUNTIME, true, "the model is running; wait until it is done" },

	{ 207000, NULL, UNSUPPORTED, NOTHING, SD_VENDOR_RUNTIME, false, "this chip does not have it; do without" },
	{ 207001, NULL, EXHAUSTED, SD_VENDOR_MEMORY, SD_VENDOR_RUNTIME, true, "memory could not be had; free some" },
	{ 207003, NULL, FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "a number ran over its type on the device; look at the operator's values" },
	{ 207005, NULL, EXHAUSTED, SD_VENDOR_STREAMS, SD_VENDOR_RUNTIME, true, "the device is out of streams and their queues (not of memory); destroy some streams, or use fewer" },
	{ 207006, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the process may not do this; give it the right" },
	{ 207007, NULL, EXHAUSTED, SD_VENDOR_EVENTS, SD_VENDOR_RUNTIME, true, "the device is out of events; destroy some, or use fewer" },
	{ 207008, NULL, EXHAUSTED, SD_VENDOR_STREAMS, SD_VENDOR_RUNTIME, true, "the device is out of streams; destroy some, or use fewer" },
	{ 207009, NULL, EXHAUSTED, SD_VENDOR_NOTIFIES, SD_VENDOR_RUNTIME, true, "the device is out of notifies; destroy some, or use fewer" },
	{ 207010, NULL, EXHAUSTED, SD_VENDOR_MODELS, SD_VENDOR_RUNTIME, true, "the device takes no more models; unload one" },
	{ 207012, NULL, EXHAUSTED, SD_VENDOR_QUEUE, SD_VENDOR_RUNTIME, true, "a stream or the device has as many tasks as it takes; synchronize first" },
	{ 207018, NULL, EXHAUSTED, SD_VENDOR_MEMORY, SD_VENDOR_RUNTIME, true, "the device is out of memory; free some" },

	{ 507000, NULL, FAILED, NOTHING, SD_VENDOR_RUNTIME, false, "the runtime failed inside; look into its log" },
	{ 507001, NULL, FAILED, NOTHING, SD_VENDOR_RUNTIME, false, "the task scheduler failed; reset the device" },
	{ 507002, NULL, EXHAUSTED, SD_VENDOR_QUEUE, SD_VENDOR_RUNTIME, true, "the queue of the stream is full; synchronize it first" },
	{ 507004, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the stream is not done; synchronize it" },
	{ 507006, NULL, STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the event is not done; synchronize it" },
	{ 507010, NULL, FAILED, NOTHING, SD_VENDOR_RUNTIME, false, "the device no longer answers; reset it" },
	{ 507011, NULL, FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "the model failed while it ran; the task that failed tells more" },
	{ 507012, NULL, TIMEOUT, NOTHING, SD_VENDOR_RUNTIME, false, "the device did not report in time; reset it" },
	{ 507014, NULL, TIMEOUT, NOTHING, SD_VENDOR_OPERATOR, false, "an operator on an AI core did not end in time; make it faster, or allow more time" },
	{ 507015, NULL, FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator on an AI core failed, most often by an address that it may not use; look at its arguments" },
	{ 507018, NULL, FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator on the AI CPU failed; look at its arguments" },
	{ 507034, NULL, TIMEOUT, NOTHING, SD_VENDOR_OPERATOR, false, "an operator on a vector core did not end in time; make it faster, or allow more time" },
	{ 507035, NULL, FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator on a vector core failed, most often by an address that it may not use; look at its arguments" },
	{ 507046, "EE1002", TIMEOUT, NOTHING, SD_VENDOR_RUNTIME, false, "the stream was not done in time; allow more time, or look for a wait that nothing ends" },
	{ 507047, NULL, TIMEOUT, NOTHING, SD_VENDOR_RUNTIME, false, "the event was not done in time; allow more time, or look for what never records it" },
	{ 507048, NULL, TIMEOUT, NOTHING, SD_VENDOR_OPERATOR, false, "a fused task did not end in time; make it smaller, or allow more time" },

	{ 0, "EL0004", EXHAUSTED, SD_VENDOR_MEMORY, SD_VENDOR_RUNTIME, true, "memory could not be had; free some" },
	{ 0, "EL0005", BUSY, NOTHING, SD_VENDOR_RUNTIME, true, "the device is in use, resets itself or is not ready; try again later" },
	{ 0, "EL0006", EXHAUSTED, SD_VENDOR_STREAMS, SD_VENDOR_RUNTIME, true, "the device is out of streams and their queues (not of memory); destroy some streams, or use fewer" },
	{ 0, "EL0007", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the process may not do this; give it the right" },
	{ 0, "EL0008", EXHAUSTED, SD_VENDOR_EVENTS, SD_VENDOR_RUNTIME, true, "the device is out of events; destroy some, or use fewer" },
	{ 0, "EL0009", EXHAUSTED, SD_VENDOR_STREAMS, SD_VENDOR_RUNTIME, true, "the device is out of streams; destroy some, or use fewer" },
	{ 0, "EL0010", EXHAUSTED, SD_VENDOR_NOTIFIES, SD_VENDOR_RUNTIME, true, "the device is out of notifies; destroy some, or use fewer" },
	{ 0, "EE1006", UNSUPPORTED, NOTHING, SD_VENDOR_RUNTIME, false, "this chip does not have it; do without" },
	{ 0, "EE1007", STATE, NOTHING, SD_VENDOR_COMPILE, false, "a stream cannot be bound to the model as it is; unbind it from its other model" },
	{ 0, "EE1011", ARGUMENT, NOTHING, SD_VENDOR_COMPILE, false, "an argument is not valid; correct it" },
	{ 0, "EE1017", STATE, NOTHING, SD_VENDOR_COMPILE, false, "calls came in the wrong order; make the missing one first" },
	{ 0, "EE1018", STATE, NOTHING, SD_VENDOR_COMPILE, false, "a wait came before its record; record first" },
	{ 0, "EE1023", EXHAUSTED, SD_VENDOR_STREAMS, SD_VENDOR_RUNTIME, true, "there are too many streams; destroy some, or use fewer" },
	{ 0, "EE4001", STATE, NOTHING, SD_VENDOR_COMPILE, false, "a stream could not be bound to the model; it is bound already" },
	{ 0, "EE4002", STATE, NOTHING, SD_VENDOR_COMPILE, false, "a stream could not be unbound from the model; it is not bound to it" },

	CUDA(1, "INVALID_VALUE", ARGUMENT, NOTHING, SD_VENDOR_RUNTIME, false, "an argument is not valid; correct it"),
	CUDA(2, "OUT_OF_MEMORY", EXHAUSTED, SD_VENDOR_MEMORY, SD_VENDOR_RUNTIME, true, "the device, or the driver on this machine, is out of memory; free some"),
	CUDA(3, "NOT_INITIALIZED", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the driver was not initialised; open the device first"),
	CUDA(4, "DEINITIALIZED", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the process is ending and the driver is gone; close devices earlier"),
	CUDA(34, "STUB_LIBRARY", UNSUPPORTED, NOTHING, SD_VENDOR_RUNTIME, false, "the library is the one to link against, not the driver's; give the path of the driver's"),
	CUDA(46, "DEVICE_UNAVAILABLE", BUSY, NOTHING, SD_VENDOR_RUNTIME, true, "the device is in exclusive use, or resets itself; try again later"),
	CUDA(100, "NO_DEVICE", ARGUMENT, NOTHING, SD_VENDOR_RUNTIME, false, "the machine has no device, or the process may see none; look at CUDA_VISIBLE_DEVICES"),
	CUDA(101, "INVALID_DEVICE", ARGUMENT, NOTHING, SD_VENDOR_RUNTIME, false, "there is no such device; use a number below the count of devices"),
	CUDA(201, "INVALID_CONTEXT", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the thread has no context, or one that is gone; set the device first"),
	CUDA(214, "ECC_UNCORRECTABLE", FAILED, NOTHING, SD_VENDOR_RUNTIME, false, "memory of the device is damaged; reset it"),
	CUDA(400, "INVALID_HANDLE", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the object is none, or is of another context; use it in its own"),
	CUDA(401, "ILLEGAL_STATE", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "calls came in the wrong order; make the missing one first"),
	CUDA(600, "NOT_READY", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "what was asked about is not done; synchronize it"),
	CUDA(700, "ILLEGAL_ADDRESS", FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator used an address that it may not use; look at its arguments"),
	CUDA(701, "LAUNCH_OUT_OF_RESOURCES", ARGUMENT, NOTHING, SD_VENDOR_OPERATOR, false, "an operator wants more registers or threads than there are; launch it smaller"),
	CUDA(702, "LAUNCH_TIMEOUT", TIMEOUT, NOTHING, SD_VENDOR_OPERATOR, false, "an operator did not end in time; make it faster, or allow more time"),
	CUDA(709, "CONTEXT_IS_DESTROYED", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the context is gone; open the device again"),
	CUDA(710, "ASSERT", FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator's own check failed; look at what it printed"),
	CUDA(714, "HARDWARE_STACK_ERROR", FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator ran over its stack; look at its calls"),
	CUDA(715, "ILLEGAL_INSTRUCTION", FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator is not for this chip, or was overwritten; build it for this one"),
	CUDA(716, "MISALIGNED_ADDRESS", FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator used an address that is not aligned; look at its arguments"),
	CUDA(719, "LAUNCH_FAILED", FAILED, NOTHING, SD_VENDOR_OPERATOR, false, "an operator failed while it ran; look at its arguments"),
	CUDA(800, "NOT_PERMITTED", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the call is not allowed here, such as from a host function; make it elsewhere"),
	CUDA(801, "NOT_SUPPORTED", UNSUPPORTED, NOTHING, SD_VENDOR_RUNTIME, false, "the device or its driver does not have it; do without"),
	CUDA(802, "SYSTEM_NOT_READY", BUSY, NOTHING, SD_VENDOR_RUNTIME, true, "services of the driver are not up yet; try again later"),
	CUDA(803, "SYSTEM_DRIVER_MISMATCH", UNSUPPORTED, NOTHING, SD_VENDOR_RUNTIME, false, "the driver and its library are of different versions; install those of one"),
	CUDA(805, "MPS_CONNECTION_FAILED", BUSY, NOTHING, SD_VENDOR_RUNTIME, true, "the service that shares the device does not answer; start it"),
	CUDA(808, "MPS_MAX_CLIENTS_REACHED", BUSY, NOTHING, SD_VENDOR_RUNTIME, true, "as many processes share the device as can; end another one"),
	CUDA(900, "STREAM_CAPTURE_UNSUPPORTED", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the call is not allowed while something is captured; make it before or after"),
	CUDA(901, "STREAM_CAPTURE_INVALIDATED", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the capture is void; end it and begin again"),
	CUDA(906, "STREAM_CAPTURE_IMPLICIT", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the default stream was used while something is captured; name a stream"),
	CUDA(907, "CAPTURED_EVENT", STATE, NOTHING, SD_VENDOR_RUNTIME, false, "the event was recorded in a capture and has no time; record it outside"),
	CUDA(909, "TIMEOUT", TIMEOUT, NOTHING, SD_VENDOR_RUNTIME, false, "what was waited for was not done in time; allow more time, or look for a wait that nothing ends"),
	CUDA(999, "UNKNOWN", FAILED, NOTHING, SD_VENDOR_RUNTIME, false, "the driver failed inside; look into its log"),
};
#define ROWS ((uint32_t)(sizeof(table) / sizeof(table[0])))

const struct sd_vendor_error *sd_vendor_error_row(uint32_t i)
{
	return i < ROWS ? &table[i] : NULL;
}

const struct sd_vendor_error *sd_vendor_error_find(int64_t number)
{
	for (uint32_t i = 0; number != 0 && i < ROWS; i++) {
		if (table[i].number == number)
			return &table[i];
	}
	return NULL;
}

const struct sd_vendor_error *sd_vendor_error_find_text(struct sd_text text)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		if (table[i].text && sd_text_is(text, table[i].text))
			return &table[i];
	}
	return NULL;
}

const char *sd_vendor_resource_name(enum sd_vendor_resource resource)
{
	static const char *const names[] = { "nothing", "streams", "events", "notifies", "models", "queue entries", "memory" };

	return names[resource];
}

const char *sd_vendor_layer_name(enum sd_vendor_layer layer)
{
	static const char *const names[] = { "runtime", "operator", "compile" };

	return names[layer];
}

static enum sd_status fail(struct sd_diag *diag, const char *what, int64_t number, const struct sd_vendor_error *row)
{
	const char *sentence = row ? row->sentence : "the number is not known; the vendor's documentation may tell more";

	return SD_FAIL3(diag, row ? row->code : FAILED, SD_NO_NODE, sd_arg_words(what), sd_arg_int(number), sd_arg_words(sentence));
}

enum sd_status sd_vendor_fail(struct sd_diag *diag, const char *what, int64_t number)
{
	return fail(diag, what, number, number > SD_CUDA_LAST_ERROR ? sd_vendor_error_find(number) : NULL);
}

enum sd_status sd_cuda_fail(struct sd_diag *diag, const char *what, int64_t number)
{
	return fail(diag, what, number, number <= SD_CUDA_LAST_ERROR ? sd_vendor_error_find(number) : NULL);
}
