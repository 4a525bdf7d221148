// Package stall finds times in which a server stood still, and queues, in its
// logs, and lays them beside load reports that never saw them.
package stall

import (
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Detectors are the family.
var Detectors = []detect.Detector{Server, Missed, Queueing, Clocks}

// Server is server-stall.
var Server = detect.Detector{
	Name: "server-stall",
	Doc: `A server that answered nobody for a while

What it means: for some time no request ended, or many that had come at different
times all ended at once. They waited for the same thing: a collection, a lock, a
disk, a dependency. Everybody who came meanwhile waited for the rest of it, and a
log whose clock starts when a worker takes a request shows that for hardly any of
them.

How it is found, with or without latencies in the log:

  silence       no request ends for far longer than the local rate explains (12
                ought to have, and more in a long log), four times longer than
                all but a few gaps of the same log, and where hardly a quarter
                as long ever passes without one: sessions, batches and nights
                leave gaps of their own. Requests must end close to it on both
                sides: a load that ends, begins or pauses is no stall
  burst         behind it half of rate x gap of them end at once, and no more
                than were due: they had come all the time (arrivals are open)
  held          requests that began about when the silence did, took five times
                the median of their operation and ended with it: a closed loop
                leaves one for each of its clients. Without burst and held ones
                the sender may have paused: low confidence, and nothing at all
                from five minutes on
  pile-up       ten or more requests that took at least five times the median of
                their operation ended together and had begun at different times,
                while as slow ones seldom end so close to each other. Where they
                are less than half of what their operations were asked for in
                that time, the confidence is low: a client whose network comes
                back, or a page that loads slowly, looks the same
  pauses        collections, safepoints and commands that stop the whole server,
                of 200 ms or more; those of locks and slow queries explain a stall
                and are none by themselves

How sure that is, in simulated logs with other seeds than those by which the
thresholds were chosen: of 11 040 without a stall (23 kinds: Poisson, sessions,
heavy-tailed people, nights, batches, closed loops with slow operations, full thread
pools, ramps, restarts, time-outs, long polls, slow clients, lost parts; 0.01 to 5000
requests a second, a minute to seven days, eight ways of writing each) five have a
finding of medium confidence or above: ten to twenty requests of one client, whose
network comes back or whose page loads slowly. Of low confidence there are two for
five logs where a server was restarted, three for four where a part is lost, one for
six where the load paused, one for twenty of slow clients, one for nine of closed
loops with long tails, and hardly any of the rest.

A stall of the whole server in which 25 requests or more were due is found in all of
160 logs with latencies to the millisecond, within a fifth of its length; where
requests come three at a time in 38 of 40, and without latencies then in 27 of 40. A
closed loop without latencies shows it with low confidence in two of three, and never
above. One operation of three that stands still is found in 30 of 40, and by stamps of
whole seconds in 5 of 13. Latencies that are cut to whole seconds halve that of loops.

What it cannot see: stalls shorter than 100 ms or than the stamps are fine; and in
a log of more than a day and a half a silence is seen only from ten seconds on
(the timeline's bins are as wide), though long requests are seen all the same.

Where the numbers come from: "due" is the rate around the silence times its
length. Moments are as exact as the log's stamps.

Grouping, for a database: count, first and last end by second; gaps between
seconds; the 1 024 slowest by (latency, position).
`,
	Severity: detect.Warning,
	Reads:    ingest.KindSample | ingest.KindPause | ingest.KindLog,
	Judge:    judgeStalls,
}

// Missed is stall-missed-by-load-test.
var Missed = detect.Detector{
	Name: "stall-missed-by-load-test",
	Doc: `A stall that the log shows and the load report does not

What it means: the server stood still while the load test ran. A closed-loop
generator waits for its answers and sends nothing meanwhile, so that each of its
workers met the stall once. Users do not wait for each other: at the run's rate
many more requests would have met it, and the report's percentiles lack them.

How it is found: report and log are laid side by side, by the dates of the report
where it has them, else by the number of requests and the length of the run; the
evidence says which. Then the requests that were due in the stall are added to
those of the run, each waiting from when it was due to the end, and p99 is taken
again. It is a finding where that is at least 1.5 times what the report says. In
simulations with 1 to 20 workers and one to four stalls it is within 10 % of what
an open loop at that rate gets from the same server.

Nothing is said of a run that cannot be placed: two logs of different times that
fit alike, dates that are neither minutes nor a time zone apart, a report whose
slowest request is far shorter than the stall.

The rate is the plan's (--rate, the report's command line) or else that of the
run while the server answered. Open-loop runs and reports that were corrected by
their tool are not asked.
`,
	Severity: detect.Error,
	Reads:    ingest.Load | ingest.KindPause | ingest.KindLog,
	Judge:    judgeMissed,
}

// Queueing is queueing.
var Queueing = detect.Detector{
	Name: "queueing",
	Doc: `Requests that wait for a worker or a connection

What it means: requests wait before anybody works on them. The wait is part of
what users see, grows without bound when the server is overloaded, and is not in
the time that the application itself logs.

How it is found: from logs that give the wait (HAProxy's Tw, queue_duration of
Rails and GitLab), where its p99 is at least 10 ms and a fifth of the p99 of whole
requests, and 20 or more waited. From two inputs that saw the same requests (a
proxy's log and the application's, or traces; joined by request id or trace id):
the time that the proxy took longer, where its p99 is at least 50 ms and twice its
median.

HAProxy counts in Tw, beside the queue, what Lua, SPOE and name resolution take,
and the pauses between retries of a connection: requests that were tried again are
left out.

Grouping, for a database: count, queued, sum and histogram of waits by operation.
`,
	Severity: detect.Warning,
	Reads:    ingest.KindSample | ingest.KindTrace,
	Judge:    judgeQueues,
}

// Clocks is clock-disagreement.
var Clocks = detect.Detector{
	Name: "clock-disagreement",
	Doc: `Two inputs that disagree about what time it is

What it means: the same requests are in two inputs, at different times. Clocks of
two hosts are apart, or stamps without an offset were read in the wrong zone. What
happened when can then not be compared between them.

How it is found: requests in both, joined by request id or trace id, that nearly
all start equally far apart; or a load report with dates whose number of requests
and length are those of a log at another time. From 3 s on, beyond the resolution
of the stamps. A difference of whole quarter hours is one of time zones.
`,
	Severity: detect.Note,
	Reads:    ingest.KindSample | ingest.KindRun | ingest.KindTrace,
	Judge:    judgeClocks,
}
