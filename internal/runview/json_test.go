package runview

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/runview/viewtest"
)

// jsonStage is a run that is shown as events.
type jsonStage struct {
	*viewtest.Rehearsal
	events *JSON
	errs   []error // what Committed returned
}

func newJSONStage(t *testing.T, stdout io.Writer, body string) *jsonStage {
	t.Helper()
	s := &jsonStage{Rehearsal: viewtest.Rehearse(t, body)}
	s.events = NewJSON(stdout, func() time.Time { return s.Begun.In(time.FixedZone("", 3600)) })
	s.Show = func(batch *flush.Batch) { s.errs = append(s.errs, s.events.Committed(batch)) }
	return s
}

func (s *jsonStage) begin() {
	s.T.Helper()
	s.events.Begin(Begin{Workflow: "w", Session: s.Begun.In(time.FixedZone("", 9*3600)), Tasks: s.Tasks})
	s.Start()
}

// log logs at the instant of the rehearsal.
func (s *jsonStage) log(logger *slog.Logger, level slog.Level, message string, attrs ...slog.Attr) {
	s.T.Helper()
	record := slog.NewRecord(s.Now, level, message, 0)
	record.AddAttrs(attrs...)
	if err := logger.Handler().Handle(s.T.Context(), record); err != nil {
		s.T.Error(err)
	}
}

// The events of a run, at least one of each kind, byte by byte.
func TestJSONEvents(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	s := newJSONStage(t, &stdout, "+a: {sh>: x}\n+b: {sh>: x, _error: {+tell: {echo>: x}}}\n")
	s.log(slog.New(&logging.Handler{To: s.events.Log()}), slog.LevelWarn, "Using \"a\" session", slog.Int("n", 1))
	s.begin()
	s.Claim("+w+a")
	about := (&logging.Handler{To: s.events.Log()}).ForTask(s.Lease("+w+a"))
	s.log(about.With(slog.String("key", "value")).WithGroup("g"), slog.LevelInfo, "sh>: x")
	out := s.events.Open(s.Lease("+w+a"))
	for _, piece := range []string{"one\ntwo", "", "日"[:1], "日"[1:] + "\x1b[31m\n", "\xff", "日"[:2]} {
		if _, err := io.WriteString(out, piece); err != nil {
			t.Error(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	s.After(1500 * time.Millisecond)
	s.Again("+w+a", trowel.OutcomeRetry, 10*time.Second)
	s.Due("+w+a")
	s.Claim("+w+a")
	s.Succeed("+w+a")
	s.Claim("+w+b")
	s.Fail("no \"way\"", "+w+b")
	s.Claim("+w+b^error+tell")
	s.Succeed("+w+b^error+tell")
	if _, err := io.WriteString(s.events.Log(), "a line\n"); err != nil {
		t.Error(err)
	}
	s.events.End(End{
		Status: "error", Elapsed: 1500 * time.Millisecond, StateDir: "/p", Resume: "trowel run w.dig",
		Failed: []FailedTask{{Name: "+w+b", Message: "no \"way\" (runtime)", Where: "w.dig:2:1", LastLines: []string{"x", "y"}}},
	})
	for line := range strings.Lines(stdout.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q is not JSON", line)
		}
	}
	for _, err := range s.errs {
		if err != nil {
			t.Errorf("Committed() = %v, want nil", err)
		}
	}
	viewtest.Golden(t, filepath.Join("testdata", "events.jsonl"), stdout.String())
}

// A run that was broken off says why, and what had succeeded.
func TestJSONRunEnded(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		end  End
		want string
	}{
		{"success", End{Status: "success", Elapsed: time.Second}, `"status":"success","elapsed_ms":1000,"failed":[]}`},
		{
			"interrupted",
			End{Status: "running", Interrupted: true, Resume: "r"},
			`"status":"interrupted","elapsed_ms":0,"failed":[],"succeeded":[],"resume":"r"}`,
		},
		{
			"broken",
			End{Status: "running", Broken: errors.New("disk full"), Succeeded: []string{"+w+a", "+w+b"}},
			`"status":"broken","elapsed_ms":0,"failed":[],"cause":"disk full","succeeded":["+w+a","+w+b"]}`,
		},
		{"killed", End{Status: "killed"}, `"status":"killed","elapsed_ms":0,"failed":[]}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var stdout bytes.Buffer
			s := newJSONStage(t, &stdout, "+a: {sh>: x}\n")
			s.events.Begin(Begin{Workflow: "w"})
			s.events.End(tc.end)
			lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
			want := `{"type":"run_ended","at":"2024-01-02T03:04:05.000000Z",` + tc.want
			if got := lines[len(lines)-1]; got != want {
				t.Errorf("last event = %s, want %s", got, want)
			}
		})
	}
}

// A run that failed with an error ends like one that was broken off. One that did not begin has no events.
func TestJSONAbandon(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	s := newJSONStage(t, &stdout, "+a: {sh>: x}\n")
	s.events.Abandon(errors.New("no database"))
	if stdout.Len() > 0 {
		t.Errorf("events of a run that was not begun = %q, want none", stdout.String())
	}
	s = newJSONStage(t, &stdout, "+a: {sh>: x}\n")
	s.begin()
	s.events.Abandon(errors.New("no database"))
	want := `"status":"broken","elapsed_ms":0,"failed":[],"cause":"no database","succeeded":[]}` + "\n"
	if !strings.HasSuffix(stdout.String(), want) {
		t.Errorf("events = %q, want the last to end with %s", stdout.String(), want)
	}
}

// A reader that takes nothing blocks the task that prints, but not the flusher. Nothing is lost.
func TestJSONSlowReader(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	s := newJSONStage(t, writer, "_parallel: true\n+a: {sh>: x}\n+b: {sh>: x}\n")
	var got []byte
	var read sync.WaitGroup
	start := make(chan struct{})
	read.Go(func() {
		// The first event is written before the run begins.
		line := make([]byte, 200)
		n, err := reader.Read(line)
		got = append(got, line[:n]...)
		<-start
		rest, errRest := io.ReadAll(reader)
		got = append(got, rest...)
		if err != nil || errRest != nil {
			t.Error(err, errRest)
		}
	})
	s.begin()
	s.Claim("+w+a", "+w+b")
	var wrote sync.WaitGroup
	wrote.Go(func() {
		out := s.events.Open(&trowel.Lease{FullName: "+w+a", TaskID: 2, Try: 1})
		for range 2000 {
			if _, err := io.WriteString(out, strings.Repeat("x", 500)); err != nil {
				t.Error(err)
			}
		}
	})
	s.Succeed("+w+b")
	close(start)
	wrote.Wait()
	s.Succeed("+w+a")
	s.events.End(End{Status: "success"})
	if err := writer.Close(); err != nil {
		t.Error(err)
	}
	read.Wait()
	if n := bytes.Count(got, []byte(`"type":"output"`)); n != 2000 {
		t.Errorf("%d output events arrived, want 2000", n)
	}
	if !bytes.HasSuffix(got, []byte("\"failed\":[]}\n")) {
		t.Errorf("the last event is %q, want run_ended", got[max(0, len(got)-100):])
	}
}

// Readers must get all events: if these cannot be written the run ends.
func TestJSONLostEvents(t *testing.T) {
	t.Parallel()
	s := newJSONStage(t, viewtest.FullDisk{}, "+a: {sh>: x}\n")
	s.begin()
	err := s.errs[0]
	if want := "write events to standard output: no space left on device"; err == nil || err.Error() != want {
		t.Errorf("Committed() = %v, want %s", err, want)
	}
	s.events.End(End{Status: "running", Broken: err})
}

func BenchmarkJSONEvents(b *testing.B) {
	events := NewJSON(io.Discard, time.Now)
	events.Begin(Begin{Workflow: "w"})
	batch := viewtest.BenchBatch(20_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := events.Committed(batch); err != nil {
			b.Fatal(err)
		}
	}
	events.End(End{Status: "success"})
	b.ReportMetric(float64(len(batch.Changes)*b.N)/b.Elapsed().Seconds(), "changes/s")
}
