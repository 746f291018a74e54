/* codes.h - every error and warning there is: one table.
 *
 * Codes that begin with E or EZ are Graph Engine's; SD are ours (00xx not built,
 * 01xx the request, 03xx activation and bodies, 20xx limits, 30xx hazards, 40xx
 * the service, 50xx streams and devices, 51xx the pool, 90xx ourselves). In a message, {node} is the name of the
 * diagnostic's node and {0} {1} {2} are its arguments, put in quotes where they
 * come from the request. A message says what would make it right. */
#ifndef SD_CODES_H
#define SD_CODES_H

/*      name                     text       status              retryable message */
#define SD_CODE_LIST(X)                                                                                        \
	X(NONE,                  "",        OK,                 0, "")                                          \
	X(NOT_BUILT,             "SD0001",  UNIMPLEMENTED,      0, "{node}: {0} is not built yet; leave it out") \
	X(BAD_WIRE,              "SD0101",  INVALID_ARGUMENT,   0, "the message is malformed at byte {0}: {1}") \
	X(BAD_NAME,              "SD0102",  INVALID_ARGUMENT,   0, "{node}: {0} is no valid {1}: 1 to 512 bytes of UTF-8 without NUL, not starting with ^") \
	X(NAME_TWICE,            "SD0103",  INVALID_ARGUMENT,   0, "the name {0} is used twice; names are unique in the whole request") \
	X(UNKNOWN_INPUT,         "SD0104",  INVALID_ARGUMENT,   0, "{node}: input {0} names no node of the same graph; correct it or add the node") \
	X(BODY_OWNER,            "SD0105",  INVALID_ARGUMENT,   0, "{node}: subgraph {0} {1}; each subgraph is named by exactly one node") \
	X(BODY_NESTING,          "SD0106",  INVALID_ARGUMENT,   0, "subgraph {0} {1}; bodies nest at most 10 deep and never in themselves") \
	X(BAD_VALUE,             "SD0107",  INVALID_ARGUMENT,   0, "{node}: {0} is {1}; it must be {2}")        \
	X(ATTR_TWICE,            "SD0108",  INVALID_ARGUMENT,   0, "{node}: attribute {0} is given twice; keep one") \
	X(EXPLICIT_UNKNOWN,      "SD0109",  INVALID_ARGUMENT,   0, "explicit_streams names {0}, which is no node of the graph") \
	X(EXPLICIT_TWICE,        "SD0110",  INVALID_ARGUMENT,   0, "explicit_streams names {node} twice; every launched node stands there exactly once") \
	X(EXPLICIT_MISSING,      "SD0111",  INVALID_ARGUMENT,   0, "explicit_streams misses {node}; every launched node stands there exactly once") \
	X(UNKNOWN_REFERENCE,     "SD0112",  INVALID_ARGUMENT,   0, "{node}: {1} names {0}, which is no node of the request") \
	X(UNKNOWN_PROFILE,       "SD0113",  INVALID_ARGUMENT,   0, "there is no device profile {0}; known are {1}") \
	X(BAD_ATTR,              "SD0114",  INVALID_ARGUMENT,   0, "{node}: attribute {0} must be {1}")         \
	X(BAD_JSON,              "SD0115",  INVALID_ARGUMENT,   0, "{0}: {1}")                                  \
	X(BAD_MODEL,             "SD0116",  INVALID_ARGUMENT,   0, "the model cannot be read: {0}")             \
	X(BAD_MULTIPLEXING,      "SD0117",  INVALID_ARGUMENT,   0, "{node}: {0} in _event_multiplexing must be SendTo;NODE;NUMBER or RecvFrom;NODE;NUMBER with a number from 0 to 2147483647") \
	X(EMPTY_GRAPH,           "SD0118",  INVALID_ARGUMENT,   0, "the request holds no graph; set graph")     \
	X(UNREADABLE,            "SD0119",  NOT_FOUND,          0, "the file {0} cannot be read: {1}; name one that can") \
	X(UNWRITABLE,            "SD0120",  FAILED_PRECONDITION,0, "the file {0} cannot be written: {1}; name one that can") \
	X(BAD_OPTION_VALUE,      "E10001",  INVALID_ARGUMENT,   0, "option {0} has the value {1}: {2}")         \
	X(BAD_CORE_CAP,          "E10001",  INVALID_ARGUMENT,   0, "{node}: {0} has the value {1}: write the number of cores in digits, without sign or leading zero") \
	X(EMPTY_OPTION_VALUE,    "E10004",  INVALID_ARGUMENT,   0, "option {0} names an empty engine; name one") \
	X(BAD_SWITCH_VALUE,      "E10006",  INVALID_ARGUMENT,   0, "option {0} must be 0 or 1, not {1}")        \
	X(PASS_REFUSED,          "E13028",  FAILED_PRECONDITION,0, "custom stream pass {0} refuses the graph with code {1}: {2}; change the graph as the pass wants it, or build without the pass") \
	X(PASS_WITHOUT_FUNCTION, "E13030",  FAILED_PRECONDITION,0, "custom stream pass {0} has no function; give its row one, or take the row away") \
	X(LABEL_IN_SINGLE,       "E10055",  INVALID_ARGUMENT,   0, "option single_stream = true conflicts with stream label {0} of {node}; set single_stream to false or take the label away") \
	X(MODES_CONFLICT,        "E10056",  INVALID_ARGUMENT,   0, "auto_multi_stream and single_stream cannot be set together; clear one of them") \
	X(CYCLE,                 "E18888",  INVALID_ARGUMENT,   0, "the graph has a cycle through {node}; take one of its edges away") \
	X(UNKNOWN_ENGINE,        "E19999",  INVALID_ARGUMENT,   0, "{node}: there is no engine {0}; add it to device.engines or use another") \
	X(BAD_GROUP_ATTR,        "E19999",  INVALID_ARGUMENT,   0, "{node}: attribute {0} must be {1}")         \
	X(NO_STREAM,             "E19999",  INTERNAL,           0, "{node} was left without a stream")          \
	X(NO_ENGINE_FOR_OP,      "EZ3003",  UNIMPLEMENTED,      0, "{node}: no engine runs operator type {0}; state an engine or set unknown_op to aicore") \
	X(SWITCH_WITHOUT_LIST,   "SD0301",  INVALID_ARGUMENT,   0, "{node} is a StreamSwitch or StreamSwitchN without labels to activate; list them in _active_label_list") \
	X(LABEL_OF_NOBODY,       "SD0302",  INVALID_ARGUMENT,   0, "{node} activates label {0}, which no node of its graph carries; label the nodes to be started, or take it off the list") \
	X(ACTIVATES_ITSELF,      "SD0303",  INVALID_ARGUMENT,   0, "{node} activates its own stream by label {0}; put it and those nodes on different streams: by another label, in a model of unknown shape with dynamic_multi_stream too") \
	X(BAD_DEPENDENCY,        "SD0304",  INVALID_ARGUMENT,   0, "{node} declares that an attached stream reads input {0}, it has {1} connected data inputs; name one of them from 0 on") \
	X(ORDER_CYCLE,           "SD0306",  INVALID_ARGUMENT,   0, "what is asked for orders {node} before itself: streams, activations and edges run in a circle; change a label or an edge") \
	X(BEHIND_SWITCH,         "SD0307",  INVALID_ARGUMENT,   0, "{node} would run behind {0} on one stream, but a StreamSwitch leaves its stream for the one that it starts; give one of the two another stream label") \
	X(BODIES_OF_LOOP,        "SD0308",  INVALID_ARGUMENT,   0, "{node} is a loop of {0} bodies; a loop has a condition and one body") \
	X(LABEL_MISSING,         "SD0309",  INVALID_ARGUMENT,   0, "the bodies of {node} hold labels, but {0} is missing; add it, or take all label nodes out of its bodies") \
	X(MISPLACED_LABEL,       "SD0310",  INVALID_ARGUMENT,   0, "{node} has no place in its body: there is such a label node already, or the body cannot be left by it; take it away") \
	X(JUMP_NOWHERE,          "SD0311",  INVALID_ARGUMENT,   0, "{node} jumps to label {0}, but {1}, which ends the bodies, has another _label_switch_index; make them equal") \
	X(PASSED_OVER,           "SD0312",  INVALID_ARGUMENT,   0, "{node} cannot wait for {0}: one of them is a label or jump at which their bodies are entered or left, or a StreamSwitch with which a body ends; take the edge away, or let {node} wait for what {0} waits for") \
	X(BEHIND_JUMP,           "SD0313",  INVALID_ARGUMENT,   0, "{0} would have to wait for {node}, which leaves its stream by a jump and can tell nobody; let it wait for what {node} waits for") \
	X(STREAM_OF_BODIES,      "SD0314",  INVALID_ARGUMENT,   0, "{node} is in a body with labels, on a stream that would run into it from elsewhere; give the nodes of that body a stream of their own, started by a StreamActive in it") \
	X(BEHIND_CHOICE,         "SD0315",  INVALID_ARGUMENT,   0, "{0} would have to wait for {node}, a StreamSwitchN, which goes on on one of several streams and can tell nobody else; give {0} one of the labels that {node} starts, or let it wait for what {node} waits for") \
	X(CHOICE_STARTS_BODY,    "SD0316",  INVALID_ARGUMENT,   0, "{node} is a StreamSwitchN, of whose streams one runs; it cannot start those of its body: mark a StreamActive in front of it with subgraph_first_active") \
	X(NOT_STARTED,           "SD0317",  INVALID_ARGUMENT,   0, "{node} is on a stream that {0} starts, which need not run when {node} does; give one of the two another stream label, or start the stream in front of both") \
	X(SWITCH_IN_LOOP,        "SD0318",  INVALID_ARGUMENT,   0, "{node} leaves its stream, to which the next turn of loop {0} comes back; let a node of that body start the stream by its label and what stands on it wait for that node, or lower the loop to labels") \
	X(NOT_COVERED,           "SD0305",  OK,                 0, "no NetOutput of its graph waits for the attached stream of {node}; it may still run when the model has ended") \
	X(LIMIT_STREAMS,         "SD2001",  RESOURCE_EXHAUSTED, 0, "the plan needs {0} streams, device profile {2} has max_streams = {1}; use fewer labels or parallel streams, or raise device.limits.max_streams") \
	X(LIMIT_EVENTS,          "SD2002",  RESOURCE_EXHAUSTED, 0, "the plan needs {0} events, device profile {2} has max_events = {1}; place nodes so that fewer edges cross streams, or raise device.limits.max_events") \
	X(LIMIT_NOTIFIES,        "SD2003",  RESOURCE_EXHAUSTED, 0, "the plan needs {0} notifies, device profile {2} has max_notifies = {1}; place nodes so that fewer edges cross streams, or raise device.limits.max_notifies") \
	X(LIMIT_NODE_TASKS,      "SD2004",  RESOURCE_EXHAUSTED, 0, "{node} alone needs {0} tasks, device profile {2} has max_tasks_per_stream = {1}; make the node smaller or raise device.limits.max_tasks_per_stream") \
	X(LIMIT_STARTER_TASKS,   "SD2005",  RESOURCE_EXHAUSTED, 0, "the stream of {node}, with what it starts and its syncs, would hold {0} tasks, device profile {2} has max_tasks_per_stream = {1}; use fewer streams or raise device.limits.max_tasks_per_stream") \
	X(LIMIT_LOOP,            "SD2006",  RESOURCE_EXHAUSTED, 0, "a stream of loop {node} would be cut between condition and body, since max_tasks_per_stream is {0}; raise device.limits.max_tasks_per_stream, or lower the loop to labels") \
	X(LIMIT_HUGE_STREAMS,    "SD2007",  RESOURCE_EXHAUSTED, 0, "the plan needs {0} huge streams, device profile {2} has max_huge_streams = {1}; raise device.limits.max_tasks_per_huge_stream or device.limits.max_huge_streams") \
	X(LIMIT_NODES,           "SD2010",  RESOURCE_EXHAUSTED, 0, "the request holds {0} {1}, {2} are allowed here; send a smaller graph") \
	X(LIMIT_MEMORY,          "SD2011",  RESOURCE_EXHAUSTED, 0, "planning needs more than the {0} bytes that one job may use; send a smaller graph") \
	X(LIMIT_FRAME,           "SD2012",  RESOURCE_EXHAUSTED, 0, "a frame of {0} bytes is over the limit of {1}; send a smaller graph") \
	X(LIMIT_QUEUE,           "SD2013",  RESOURCE_EXHAUSTED, 1, "the queue holds {0} jobs, no more are taken now; try again later") \
	X(LIMIT_CONNECTIONS,     "SD2014",  RESOURCE_EXHAUSTED, 1, "{0} connections are open, no more are taken; close one or try again later") \
	X(LIMIT_OPEN_REQUESTS,   "SD2015",  RESOURCE_EXHAUSTED, 1, "{0} requests are open on this connection, no more are taken; wait for an answer") \
	X(SHED,                  "SD2017",  UNAVAILABLE,        1, "the daemon has too much to do: {0} % of {1} is taken, and {2} has to wait until it is less; try again later") \
	X(LIMIT_HELD,            "SD2016",  RESOURCE_EXHAUSTED, 1, "{0} bytes of requests are held, no more are taken now; try again later") \
	X(LIMIT_ITEMS,           "SD2020",  RESOURCE_EXHAUSTED, 0, "there are {0} {1} in one call, {2} are allowed here; share them out over several calls") \
	X(LIMIT_UNREAD,          "SD2019",  RESOURCE_EXHAUSTED, 1, "{0} bytes of answers are unread on this connection, and socket.unread_bytes_max = {1} are kept; read them, or ask on another connection") \
	X(NODE_OVER_LIMIT,       "SD3001",  OK,                 0, "{node} alone needs {0} tasks, more than max_tasks_per_stream = {1}; it has a stream of its own") \
	X(GROUP_TOO_LARGE,       "SD3002",  OK,                 0, "the nodes of {node}'s continuous stream label do not fit one stream; they are spread over several") \
	X(TURNS_UNPROVED,        "SD3015",  OK,                 0, "the event behind {node} does not take turns with the one that shares its number {0} of _event_multiplexing: it may be recorded before that one is waited for; from here on they have a number of their own") \
	X(LABEL_UNKNOWN,         "SD3004",  OK,                 0, "an entry of the list of labels that {node} activates is carried by no node of its graph (entry {0}); it starts nothing") \
	X(UNKNOWN_LIMITED_ENGINE,"SD3003",  OK,                 0, "max_parallel_num names an engine that the device does not have (entry {0} in byte order); it has no effect") \
	X(COLLECTIVES_UNORDERED, "SD3020",  INVALID_ARGUMENT,   0, "{node} and {0} (of several, the nearest) are collectives of one communicator, or of two that share two ranks or more, and nothing in the plan orders them: each rank may start them in another order and wait for ever; put them on one stream, or give {node} the control input {0}") \
	X(READ_OVERWRITTEN,      "SD3021",  INVALID_ARGUMENT,   0, "{node} reads what {0} (of several, the nearest) overwrites in place, and nothing in the plan lets it read before; give {0} the control input {node}, or copy the buffer for one of them") \
	X(OVERWRITES_UNORDERED,  "SD3022",  INVALID_ARGUMENT,   0, "{node} writes in place a buffer that {0} (of several, the nearest) writes too, and nothing in the plan orders them; give {node} the control input {0}, or a buffer of its own") \
	X(WRITES_UNORDERED,      "SD3023",  INVALID_ARGUMENT,   0, "{node} writes a buffer (entry {1} of its writes) that {0} (of several, the nearest) writes too, and nothing in the plan orders them; give {node} the control input {0}, or a buffer of its own") \
	X(GANG_CUBE,             "SD3024",  INVALID_ARGUMENT,   0, "{node} may run beside {0} (of several, the largest), and what runs then holds its cores and needs more than the {1} cube cores of the device: they can wait for each other for ever; order them, or cap them with _op_aicore_num so that they fit") \
	X(GANG_VECTOR,           "SD3025",  INVALID_ARGUMENT,   0, "{node} may run beside {0} (of several, the largest), and what runs then holds its cores and needs more than the {1} vector cores of the device: they can wait for each other for ever; order them, or cap them with _op_vectorcore_num so that they fit") \
	X(CORES_CUBE,            "SD3026",  INVALID_ARGUMENT,   0, "{node} may run beside {0} (of several, the largest), and what runs then is promised more than the {1} cube cores of the device; lower _op_aicore_num until they fit, or order them") \
	X(CORES_VECTOR,          "SD3027",  INVALID_ARGUMENT,   0, "{node} may run beside {0} (of several, the largest), and what runs then is promised more than the {1} vector cores of the device; lower _op_vectorcore_num until they fit, or order them") \
	X(GANG_TOO_LARGE,        "SD3028",  INVALID_ARGUMENT,   0, "{node} needs {0} cores of one kind at the same moment, the device has {1}: it cannot start; state fewer or cap them") \
	X(TAG_UNRECORDED,        "SD3029",  INVALID_ARGUMENT,   0, "{node} waits for an event whose tag no node in front of it records; record the tag before, or take the wait away") \
	X(LABEL_WITHOUT_OVERLAP, "SD3030",  INVALID_ARGUMENT,   0, "{node} and all others with stream label {0} can never run beside another node: the label brings no overlap; take it away, or the edges that order its nodes, or let the plan have several streams") \
	X(MANY_USER_STREAMS,     "SD3032",  OK,                 0, "{node} is on the fifth of {0} streams with stream labels: 2 to 4 are usually enough for copies and computing to overlap, and each more costs a stream of the device and syncs; give chains that need not run beside each other one label") \
	X(HOST_READS_COPY,       "SD3031",  INVALID_ARGUMENT,   0, "{node} runs on the host behind the copy {0}, and no wait on a stream holds the host: whoever runs the plan must let the host wait for the copy (host_wait); or place {node} on an engine of the device") \
	X(UNKNOWN_METHOD,        "SD4001",  UNIMPLEMENTED,      0, "there is no method {0}; ask for Limits to see which there are") \
	X(UNKNOWN_KIND,          "SD4002",  UNIMPLEMENTED,      0, "there is no frame kind {0}")                \
	X(NO_HELLO,              "SD4003",  FAILED_PRECONDITION,0, "the first frame must be hello")             \
	X(BAD_FRAME,             "SD4004",  INVALID_ARGUMENT,   0, "the frame is malformed: {0}")               \
	X(REQUEST_ID_TWICE,      "SD4005",  INVALID_ARGUMENT,   0, "request id {0} is open already; choose another") \
	X(DRAINING,              "SD4006",  UNAVAILABLE,        1, "the service is draining; try again, or another one") \
	X(DEADLINE,              "SD4007",  DEADLINE_EXCEEDED,  0, "no answer within the deadline of {0} ms; allow more time or send a smaller graph") \
	X(CANCELLED,             "SD4008",  CANCELLED,          0, "the request was cancelled")                 \
	X(NO_SUCH_JOB,           "SD4009",  NOT_FOUND,          0, "there is no job {0}; list them with Jobs")  \
	X(UNREACHABLE,           "SD4010",  UNAVAILABLE,        1, "no daemon answers at {0}: {1}; start streamd or set STREAMD_SOCKET") \
	X(BAD_PLAN,              "SD4011",  INVALID_ARGUMENT,   0, "the plan cannot be read: {0}")              \
	X(NOT_ALLOWED,           "SD4012",  PERMISSION_DENIED,  0, "method {0} is for root, the daemon's own user, and certificates that tls.admin_names lists") \
	X(NO_LEASE_ROLE,         "SD4013",  PERMISSION_DENIED,  0, "method {0} is for members of the group that pool.group names, and by TCP for certificates that tls.lease_names lists; join them") \
	X(FORCE_NOT_ALLOWED,     "SD4014",  PERMISSION_DENIED,  0, "{0} with force takes from others and is for root and the daemon's own user; ask an operator, or give back what is yours without it") \
	X(BAD_CALL,              "SD4020",  INVALID_ARGUMENT,   0, "the call is malformed: {0}")                \
	X(UNKNOWN_PATH,          "SD4021",  UNIMPLEMENTED,      0, "there is no such method; server reflection lists those that there are") \
	X(BAD_ENCODING,          "SD4022",  UNIMPLEMENTED,      0, "messages in this grpc-encoding are not taken; send them as they are, or packed with gzip") \
	X(LIMIT_HEADERS,         "SD4023",  RESOURCE_EXHAUSTED, 0, "the headers of the call have {0} bytes, over the limit of {1}; send less metadata") \
	X(NO_SERVICE,            "SD4024",  NOT_FOUND,          0, "there is no service {0}; server reflection lists those that there are") \
	X(BAD_STREAM_FLAGS,      "SD5001",  INVALID_ARGUMENT,   0, "no stream can have the flags {0}: {1}")     \
	X(DEVICE_FULL,           "SD5010",  RESOURCE_EXHAUSTED, 1, "the device has no {0} left: {1} of {2} are used; destroy some, or ask for fewer") \
	X(NO_SUCH_HANDLE,        "SD5011",  NOT_FOUND,          0, "the device has no {0} with handle {1}; use one that it gave and that was not destroyed") \
	X(QUEUE_FULL,            "SD5012",  RESOURCE_EXHAUSTED, 1, "stream {0} cannot take {1} more tasks, its queue takes {2} (vendor error 507002); synchronize it first") \
	X(BAD_DEVICE_VALUE,      "SD5013",  INVALID_ARGUMENT,   0, "{0} is {1}; it must be {2}")                \
	X(NOT_RECORDED,          "SD5014",  FAILED_PRECONDITION,0, "event {0} has no record that a {1} could be for (vendor error 107024); record it first") \
	X(WAITS_FOR_EVER,        "SD5015",  FAILED_PRECONDITION,0, "stream {0} waits for ever for {1} {2}: nothing that is queued brings it; queue that in front of the wait") \
	X(SYNC_TIMEOUT,          "SD5016",  DEADLINE_EXCEEDED,  0, "{0} is not done after {1} ms (vendor error {2}); allow more time") \
	X(TASK_FAILED,           "SD5017",  INTERNAL,           0, "task {1} of stream {0} failed with vendor error {2}; what ran behind it may be wrong") \
	X(STREAM_ABORTED,        "SD5018",  ABORTED,            0, "stream {0} was {1} (vendor error {2}); give it its tasks again") \
	X(NO_TASKS_HERE,         "SD5019",  FAILED_PRECONDITION,0, "stream {0} stands for no stream (FORBIDDEN_DEFAULT) and takes no {1}; use another one") \
	X(NOTIFY_TAKEN,          "SD5020",  FAILED_PRECONDITION,0, "notify {0} has a waiter on stream {1}, and one waiter only; wait for another notify, or when that one is done") \
	X(VENDOR_ARGUMENT,       "SD5021",  INVALID_ARGUMENT,   0, "{0} was refused with vendor error {1}: {2}") \
	X(VENDOR_EXHAUSTED,      "SD5022",  RESOURCE_EXHAUSTED, 1, "{0} was refused with vendor error {1}: {2}") \
	X(VENDOR_STATE,          "SD5023",  FAILED_PRECONDITION,0, "{0} was refused with vendor error {1}: {2}") \
	X(VENDOR_UNSUPPORTED,    "SD5024",  UNIMPLEMENTED,      0, "{0} was refused with vendor error {1}: {2}") \
	X(VENDOR_BUSY,           "SD5025",  UNAVAILABLE,        1, "{0} was refused with vendor error {1}: {2}") \
	X(VENDOR_TIMEOUT,        "SD5026",  DEADLINE_EXCEEDED,  0, "{0} ended with vendor error {1}: {2}")      \
	X(VENDOR_FAILED,         "SD5027",  INTERNAL,           0, "{0} ended with vendor error {1}: {2}")      \
	X(GROW_LIMIT,            "SD5028",  RESOURCE_EXHAUSTED, 0, "{1} {0} are asked for, {2} can be had at once; ask for fewer") \
	X(MIXED_ALLOCATORS,      "SD5029",  INVALID_ARGUMENT,   0, "{0} of the three allocators (streams, events, notifies) are given; give all three or none") \
	X(EVENT_DROPPED,         "SD5030",  FAILED_PRECONDITION,0, "event {0} is never done: its record on stream {1} was dropped; record it again") \
	X(EVENT_WITHOUT_TIME,    "SD5031",  FAILED_PRECONDITION,0, "event {0} has no time yet: no record of it is done; record it and wait until it is done") \
	X(HOST_SHORT,            "SD5032",  RESOURCE_EXHAUSTED, 0, "this machine has no more {0}; end other programs, or use less at once") \
	X(LAUNCH_FULL,           "SD5033",  RESOURCE_EXHAUSTED, 1, "{1} more launches do not fit the {2} that wait for stream {0}; wait for the stream, or let the caller wait") \
	X(LAUNCH_LATE,           "SD5034",  DEADLINE_EXCEEDED,  1, "the launches that wait for stream {0} made no room for {1} more within {2} ms; wait for the stream") \
	X(LAUNCH_FAILED,         "SD5035",  INTERNAL,           0, "the device did not take what was launched on stream {0}: {1}") \
	X(MEMORY_EXHAUSTED,      "SD5036",  RESOURCE_EXHAUSTED, 0, "the memory pool has no {0} bytes in one piece: {1}; free some of it, synchronize streams so that cached memory is free, or let the pool grow") \
	X(MEMORY_BUSY,           "SD5037",  FAILED_PRECONDITION,0, "{0} blocks of the memory pool are in use, most of them for {1}; free them first") \
	X(NO_SUCH_BLOCK,         "SD5038",  NOT_FOUND,          0, "no block of the memory pool that is in use begins at {0}; give what it gave, once") \
	X(BAD_VARIABLE,          "SD5042",  INVALID_ARGUMENT,   0, "the environment says {0} with a value that cannot be; set it to {1}, or not at all") \
	X(NO_LIBRARY,            "SD5050",  UNAVAILABLE,        0, "the library {0} cannot be opened: {1}; install it, put its folder on LD_LIBRARY_PATH, or give its path") \
	X(NO_SYMBOL,             "SD5051",  UNIMPLEMENTED,      0, "the library {0} has no {1}, which this needs; install a newer version of it") \
	X(DEVICE_BUSY,           "SD5052",  UNAVAILABLE,        1, "device {0} is busy: {1} answered {2} again and again; another process holds it, or it is being reset; try again later") \
	X(TASK_UNSUPPORTED,      "SD5062",  UNIMPLEMENTED,      0, "task {0} of the batch cannot run on {1}: {2}") \
	X(FLAGS_UNSUPPORTED,     "SD5063",  UNIMPLEMENTED,      0, "{0} has no streams or events with the flags {1}; leave out {2}") \
	X(STREAM_UNMADE,         "SD5067",  UNAVAILABLE,        1, "the stream of slot {0} could not be made by the model that was granted it first; acquire again") \
	X(HOLD_CLOSED,           "SD5068",  FAILED_PRECONDITION,0, "stream {0} waits at a hold that nothing opens any more; open its holds first, or destroy it by force") \
	X(STILL_BOUND,           "SD5069",  FAILED_PRECONDITION,0, "model {0} has not unbound its streams; unbind all of them and say so first") \
	X(NO_ISSUE_ORDER,        "SD5070",  FAILED_PRECONDITION,0, "the commands of the plan cannot be put into one order: stream {0} waits for {1} {2} for ever; have the plan proved (streamctl verify)") \
	X(SYNCS_DISAGREE,        "SD5071",  INVALID_ARGUMENT,   0, "the syncs of the plan are not those of its commands: {0} {1} on stream {2} has no partner; have the plan proved (streamctl verify)") \
	X(MANY_TURNS,            "SD5072",  RESOURCE_EXHAUSTED, 0, "{node} runs so often that there are more than {0} runs of bodies in all; let its loop take fewer turns") \
	X(NO_SUCH_BODY,          "SD5073",  INVALID_ARGUMENT,   0, "{node} was to take body {0} and has {1}; choose one of them, from 0") \
	X(LOAD_STREAMS,          "SD5074",  RESOURCE_EXHAUSTED, 1, "the model needs {0} streams ({1} of them for its collectives), the device has {2} left; unload another model, or plan with fewer") \
	X(LOAD_HUGE_STREAMS,     "SD5075",  RESOURCE_EXHAUSTED, 1, "the model needs {0} huge streams, the device has {1} left; unload another model, or plan without") \
	X(LOAD_EVENTS,           "SD5076",  RESOURCE_EXHAUSTED, 1, "the model needs {0} events, the device has {1} left; unload another model, or plan with event = notify") \
	X(LOAD_NOTIFIES,         "SD5077",  RESOURCE_EXHAUSTED, 1, "the model needs {0} notifies, the device has {1} left; unload another model, or plan with event = event") \
	X(MODEL_BROKEN,          "SD5078",  FAILED_PRECONDITION,0, "a run of the model failed, and its streams are not what they were; unload it and load it again") \
	X(PLAN_NUMBER,           "SD5079",  INVALID_ARGUMENT,   0, "the plan cannot be run: there is no {0} {1}, which {2}; have it proved (streamctl verify)") \
	X(PLAN_LAUNCH,           "SD5080",  INVALID_ARGUMENT,   0, "the plan cannot be run: {node} is {0}; have it proved (streamctl verify)") \
	X(PLAN_ELSEWHERE,        "SD5081",  INVALID_ARGUMENT,   0, "the plan was made for another graph: its graph_hash is {0}, the request's is {1}; name the request that it was made for, or plan this one") \
	X(PLAN_BODIES,           "SD5082",  INVALID_ARGUMENT,   0, "the plan has commands of body {0}, and a plan alone does not tell when a body runs; name its request in front of the plan") \
	X(PLAN_UNKEPT,           "SD5083",  INTERNAL,           0, "the run did not keep an order: {0}; have the plan proved (streamctl verify), and report it if it is") \
	X(CALL_ORDER,            "SD5084",  FAILED_PRECONDITION,0, "there is nothing to {0} yet; call {1} first") \
	X(LEASE_LOST,            "SD5085",  FAILED_PRECONDITION,0, "the lease is lost: {0}; lease the streams again") \
	X(DEVICE_MEMORY,         "SD5086",  RESOURCE_EXHAUSTED, 1, "{0} bytes were asked for and the device has {1} of its {2} bytes left (vendor error 207018); free memory, or ask for less") \
	X(POOL_NO_MODEL,         "SD5101",  NOT_FOUND,          0, "there is no model {0}; take the number that RegisterModel answered") \
	X(POOL_MODEL_GONE,       "SD5102",  FAILED_PRECONDITION,0, "model {0} was unloaded or its time ran out; register it again") \
	X(POOL_NO_LEASE,         "SD5103",  NOT_FOUND,          0, "there never was a lease {0}; take the numbers that Acquire answered") \
	X(POOL_RELEASED,         "SD5104",  FAILED_PRECONDITION,0, "lease {0} has been given back already; nothing was changed") \
	X(POOL_NO_SLOT,          "SD5105",  NOT_FOUND,          0, "there never was a lease or slot {0}; take the numbers that Acquire answered") \
	X(POOL_STALE,            "SD5106",  FAILED_PRECONDITION,0, "{0} is stale: that lease or slot was given back; acquire another") \
	X(POOL_BUSY,             "SD5107",  FAILED_PRECONDITION,0, "slot {0} is held by {1} other models; wait for them, or force it") \
	X(POOL_NOT_HELD,         "SD5108",  FAILED_PRECONDITION,0, "model {0} does not hold so many events or notifies; give back what it holds") \
	X(POOL_TASKS,            "SD5109",  INVALID_ARGUMENT,   0, "a stream for {0} tasks is asked for, one with flags {1} takes 0 to {2}; ask for fewer, or for more streams") \
	X(POOL_FEW_STREAMS,      "SD5110",  RESOURCE_EXHAUSTED, 1, "out of resource stream: {0} new ones needed, {1} available, limit {2}; wait (wait_ms) or release some") \
	X(POOL_FEW_HUGE_STREAMS, "SD5111",  RESOURCE_EXHAUSTED, 1, "out of resource huge stream: {0} new ones needed, {1} available, limit {2}; wait (wait_ms) or release some") \
	X(POOL_FEW_EVENTS,       "SD5112",  RESOURCE_EXHAUSTED, 1, "out of resource event: {0} needed, {1} available, limit {2}; wait (wait_ms) or release some") \
	X(POOL_FEW_NOTIFIES,     "SD5113",  RESOURCE_EXHAUSTED, 1, "out of resource notify: {0} needed, {1} available, limit {2}; wait (wait_ms) or release some") \
	X(POOL_QUOTA,            "SD5114",  RESOURCE_EXHAUSTED, 1, "user {0} would hold {1} streams of the device, {2} are allowed (pool.uid_streams_max); release some, the device itself has room") \
	X(POOL_CONN_STREAMS,     "SD5115",  RESOURCE_EXHAUSTED, 0, "this connection would hold {0} streams, {1} are allowed (pool.conn_streams_max); release some, or use another connection") \
	X(POOL_CONN_MODELS,      "SD5116",  RESOURCE_EXHAUSTED, 0, "this connection has {0} models, no more are allowed (pool.conn_models_max); unload one, or use another connection") \
	X(POOL_LINE,             "SD5117",  RESOURCE_EXHAUSTED, 1, "{0} acquires wait in line on device {1} and nobody overtakes them; wait too (wait_ms)") \
	X(POOL_LINE_FULL,        "SD5118",  RESOURCE_EXHAUSTED, 1, "{0} acquires wait in line on device {1}, no more are taken; try again later") \
	X(POOL_WANTS,            "SD5119",  INVALID_ARGUMENT,   0, "an acquire has {0} wants, at most {1} are possible; put those of one kind together, or acquire in parts") \
	X(POOL_NO_STREAMS,       "SD5120",  RESOURCE_EXHAUSTED, 0, "there will never be enough of resource stream: {0} new ones needed, {1} available, limit {2}; ask for fewer") \
	X(POOL_NO_HUGE_STREAMS,  "SD5121",  RESOURCE_EXHAUSTED, 0, "there will never be enough of resource huge stream: {0} new ones needed, {1} available, limit {2}; ask for fewer") \
	X(POOL_NO_EVENTS,        "SD5122",  RESOURCE_EXHAUSTED, 0, "there will never be enough of resource event: {0} needed, {1} available, limit {2}; ask for fewer") \
	X(POOL_NO_NOTIFIES,      "SD5123",  RESOURCE_EXHAUSTED, 0, "there will never be enough of resource notify: {0} needed, {1} available, limit {2}; ask for fewer") \
	X(POOL_NOT_YOURS,        "SD5130",  PERMISSION_DENIED,  0, "{0} belongs to another connection; a model and its leases are for the connection that registered it, and for operators who say force") \
	X(POOL_NO_DEVICE,        "SD5131",  NOT_FOUND,          0, "there is no device {0}, the daemon has {1} (pool.devices); they count from 0") \
	X(POOL_TOKEN_WAITS,      "SD5132",  FAILED_PRECONDITION,0, "an acquire of model {0} with token {1} is waiting already; wait for its answer, or choose another token") \
	X(POOL_BAD_RESERVE,      "SD5133",  INVALID_ARGUMENT,   0, "events and notifies can be reserved, streams cannot; acquire them") \
	X(POOL_BAD_BUDGET,       "SD5134",  INVALID_ARGUMENT,   0, "nothing was asked for: state streams, events or notifies of one graph") \
	X(POOL_BAD_NAME,         "SD5135",  INVALID_ARGUMENT,   0, "{0} of a model {1}; take at most 512 bytes of UTF-8") \
	X(NOT_PROVED,            "SD9001",  INTERNAL,           0, "the plan could not be proved: {0}; please report the request") \
	X(BROKEN,                "SD9002",  INTERNAL,           0, "internal error: {0}")

enum sd_code {
#define SD_X(name, text, status, retryable, message) SD_CODE_##name,
	SD_CODE_LIST(SD_X)
#undef SD_X
	SD_CODE_COUNT
};

#endif
