package runview

import (
	"fmt"
	"io"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/flush"
)

// JSON shows a run to programs. It writes one event per line to standard output and nothing else.
// docs/json-events.md describes the events; their keys never change.
//
// A goroutine writes events as soon as they come and the reader takes them.
// A slow reader slows down the tasks that print and nothing else.
type JSON struct {
	out   io.Writer
	now   func() time.Time
	spool *Spool
	stop  chan struct{}
	ended sync.WaitGroup

	mu      sync.Mutex
	writing bool  // the goroutine runs, and only it writes
	err     error // why events were lost
}

// NewJSON writes the events of a run to a stream.
func NewJSON(stdout io.Writer, now func() time.Time) *JSON {
	return &JSON{out: stdout, now: now, spool: NewSpool(0), stop: make(chan struct{})}
}

// Begin implements View.
func (j *JSON) Begin(begin Begin) {
	started := j.event("run_started", j.now()).
		text("workflow", begin.Workflow).
		text("session_time", begin.Session.Format(time.RFC3339)).
		number("tasks", int64(len(begin.Tasks)))
	if begin.DryRun {
		started = started.truth("dry_run")
	}
	j.add(started)
	j.mu.Lock()
	j.writing = true
	j.mu.Unlock()
	j.ended.Go(j.run)
}

// Committed implements flush.Observer. It fails after an event could not be written, since readers
// would no longer know what happened.
func (j *JSON) Committed(batch *flush.Batch) error {
	at := batch.At.UTC().Format(jsonTime)
	j.spool.Add(func(pending []byte) []byte {
		for i := range batch.Changes {
			pending = append(taskEvent(pending, &batch.Changes[i], at), "}\n"...)
		}
		return pending
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Open implements View.
func (j *JSON) Open(lease *trowel.Lease) io.WriteCloser {
	return &jsonOutput{events: j, lease: lease}
}

// Log implements View: its writer is an entrySink, and each entry is an event.
func (j *JSON) Log() io.Writer { return jsonLog{j} }

// Would implements View.
func (j *JSON) Would(lease *trowel.Lease, command string) {
	j.add(j.event("would_run", j.now()).
		text("task", lease.FullName).number("id", int64(lease.TaskID)).text("command", command))
}

// Stopping implements View. It does nothing: tasks that are stopped have events.
func (j *JSON) Stopping() {}

// End implements View.
func (j *JSON) End(end End) {
	j.add(endEvent(j.event("run_ended", j.now()), end))
	j.close()
}

// Abandon implements View. A run that did not begin has no events.
func (j *JSON) Abandon(err error) {
	if j.begun() {
		j.End(End{Broken: err})
	}
}

func (j *JSON) begun() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writing
}

// close ends the goroutine and writes the remaining events.
func (j *JSON) close() {
	j.spool.Close()
	close(j.stop)
	j.ended.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writing = false
	j.write()
}

func (j *JSON) event(kind string, at time.Time) jsonEvent {
	return beginEvent(nil, kind, at.UTC().Format(jsonTime))
}

// add adds an event. Before and after the run it is written at once.
func (j *JSON) add(e jsonEvent) {
	j.spool.Add(func(pending []byte) []byte { return append(append(pending, e...), "}\n"...) })
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.writing {
		j.write()
	}
}

// run writes events until the run is over. Every event wakes it.
func (j *JSON) run() {
	for {
		select {
		case <-j.stop:
			return
		case <-j.spool.Filled:
		}
		events := j.spool.Take()
		_, err := j.out.Write(events)
		j.spool.GiveBack(events)
		if err != nil {
			j.mu.Lock()
			j.fail(err)
			j.mu.Unlock()
		}
	}
}

// write writes what is pending; mu is held.
func (j *JSON) write() {
	if _, err := j.out.Write(j.spool.Take()); err != nil {
		j.fail(err)
	}
}

func (j *JSON) fail(err error) {
	if j.err == nil {
		j.err = fmt.Errorf("write events to standard output: %w", fix.Reason(err))
	}
}
