package output_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// start is when the first try of the tests begins.
var start = time.Unix(1_700_000_000, 0).UTC()

// write stores output of a try that began at an instant.
func write(t *testing.T, h *servertest.Server, attempt trowel.AttemptID, task string, at time.Time, text string) {
	t.Helper()
	g := tasklog.NewGatherer(tasklog.GathererOptions{
		Insert: tasklog.Into(h.Store), Agent: "1@host", Now: func() time.Time { return at }, Logger: slog.New(slog.DiscardHandler),
	})
	w := g.Open(&trowel.Lease{AttemptID: attempt, FullName: task, Context: &trowel.AttemptContext{}})
	_, errWrite := w.Write([]byte(text))
	errClose := w.Close()
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error { return tx.InsertLogChunks(t.Context(), w.Remainder()) })
	if errWrite != nil || errClose != nil || err != nil {
		t.Fatal(errWrite, errClose, err)
	}
}

// logged is an attempt with a task that failed twice, one that runs, and one of a name that must be escaped.
func logged(t *testing.T, h *servertest.Server, project string) trowel.AttemptID {
	t.Helper()
	id := h.InsertTasks(t, project,
		&trowel.Task{FullName: "+main", State: trowel.TaskPlanned},
		&trowel.Task{FullName: "+main+a", State: trowel.TaskError, Try: 2, ClaimedAt: start.Add(time.Minute)},
		&trowel.Task{FullName: "+main+b/é", State: trowel.TaskRunning, Try: 1, ClaimedAt: start.Add(2 * time.Minute)},
		&trowel.Task{FullName: "+main+a", State: trowel.TaskError, Try: 1, ClaimedAt: start.Add(-time.Hour)},
	)
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertTries(t.Context(), []trowel.Try{
			{AttemptID: id, TaskID: trowel.TaskID(id*1000 + 1), Number: 1, FullName: "+main+a", Exit: trowel.ExitRetry, ClaimedAt: start, EndedAt: start.Add(time.Second)},
			{AttemptID: id, TaskID: trowel.TaskID(id*1000 + 1), Number: 2, FullName: "+main+a", Exit: trowel.ExitError, ClaimedAt: start.Add(time.Minute), EndedAt: start.Add(time.Minute)},
			{AttemptID: id, TaskID: trowel.TaskID(id*1000 + 3), Number: 1, FullName: "+main+a", Exit: trowel.ExitError, ClaimedAt: start.Add(-time.Hour), EndedAt: start.Add(-time.Hour)},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, h, id, "+main+a", start.Add(-time.Hour), "0 before\n")
	write(t, h, id, "+main+a", start, "1 one\n1 error: x\n1 three\n")
	write(t, h, id, "+main+a", start.Add(time.Minute), "2 one\n2 error: y\n2 three\n")
	write(t, h, id, "+main+b/é", start.Add(2*time.Minute), "b one\n<script>\n")
	return id
}

// TestGetLog reads output by bytes, lines, at its error, of tries, groups and attempts.
func TestGetLog(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	id := logged(t, h, "one")
	first := fmt.Sprintf("task=%d", id*1000+1)
	const tries = "1 one\n1 error: x\n1 three\n2 one\n2 error: y\n2 three\n"
	const whole = "0 before\n" + tries
	name := "task=" + url.QueryEscape("+main+a")
	for query, want := range map[string]struct {
		text string
		head string // start, end, size, first line, done, task
	}{
		name:                            {whole, "0 59 59 1 true "},
		first:                           {tries, "0 50 50 1 true "},
		first + "&try=1":                {tries[:25], "0 25 25 1 true "},
		first + "&try=2&from=7":         {tries[31:], "6 25 25 2 true "},
		first + "&try=2&tail=1":         {"2 three\n", "17 25 25 3 true "},
		first + "&line=3&limit=1":       {"1 three\n", "17 25 50 3 true "},
		first + "&line=99":              {"", "50 50 50 7 true "},
		first + "&at=error":             {"2 error: y\n2 three\n", "31 50 50 5 true "},
		first + "&from=" + most:         {"", "50 50 50 7 true "},
		first + "&line=" + most:         {"", "50 50 50 7 true "},
		first + "&tail=" + most:         {tries, "0 50 50 1 true "},
		first + "&subtree=1&from=10":    {"1 one\n1 error: x\n1 three\n", "9 34 59 2 true +main+a"},
		"from=59":                       {"b one\n<script>\n", "59 74 74 8 false +main+b_%C3%A9"},
		"tail=1":                        {"<script>\n", "65 74 74 9 false +main+b_%C3%A9"},
		"task=%2Bmain&subtree=true":     {"0 before\n", "0 9 74 1 false +main+a"},
		"task=%2Bmain":                  {"", "0 0 0 1 false "},
		"task=%2Bmain%2Bb/%C3%A9":       {"b one\n<script>\n", "0 15 15 1 false "},
		"task=%2Bmain%2Bb/%C3%A9&try=1": {"b one\n<script>\n", "0 15 15 1 false "},
	} {
		a := h.Get(t, fmt.Sprintf("/api/attempts/%d/log?%s", id, query))
		var head []string
		for key := range strings.FieldsSeq("Start End Size First-Line Done Task") {
			head = append(head, a.Header.Get("Trowel-Log-"+key))
		}
		if got := strings.Join(head, " "); a.Status != 200 || a.Body != want.text || got != want.head {
			t.Errorf("%s = %d %q with %s, want %q with %s", query, a.Status, a.Body, got, want.text, want.head)
		}
		if a.Header.Get("Content-Type") != "text/plain; charset=utf-8" || a.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(a.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s has headers %v", query, a.Header)
		}
	}
	a := h.Get(t, fmt.Sprintf("/api/attempts/%d/log?%s&download=true", id, first))
	if want := fmt.Sprintf("attachment; filename*=UTF-8''attempt-%d%%2Bmain%%2Ba.log", id); a.Body != tries || a.Header.Get("Content-Disposition") != want {
		t.Errorf("download = %q, %q, want %q", a.Body, a.Header.Get("Content-Disposition"), want)
	}
	path := fmt.Sprintf("/api/attempts/%d/log?%s", id, first)
	if again := h.Do(t, http.MethodGet, path, "", "", "If-None-Match", h.Get(t, path).Header.Get("Etag")); again.Status != http.StatusNotModified {
		t.Errorf("the same again = %d, want 304", again.Status)
	}
}

const most = "9223372036854775807"

// TestGetLogRefused checks what makes no sense and what the caller may not see.
func TestGetLogRefused(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	id := logged(t, h, "one")
	logged(t, h, "two")
	for query, want := range map[string]string{
		"from=-1": `"where":"from"`, "from=x": `"where":"from"`, "from=" + most + "0": `"where":"from"`, "line=0": `"where":"line"`, "tail=0": `"where":"tail"`,
		"tail=-5": `"where":"tail"`, "at=end": `"where":"at"`, "limit=0": `"where":"limit"`, "limit=1048577": `"where":"limit"`, "from=1&at=error": `"where":"at"`,
		"try=1": `"where":"try"`, "task=%2Bmain&subtree=1&try=1": `"where":"try"`,
		"task=%2Bmain%2Ba&try=3": `"code":"not_found"`, "task=..%2F..%2Fetc%2Fpasswd": `"code":"not_found"`, "task=0": `"code":"not_found"`, "task=%00%25": `"code":"not_found"`,
		"task=" + strings.Repeat("a", 10_000): `"code":"not_found"`, fmt.Sprintf("task=%d", (id+1)*1000+1): `"code":"not_found"`,
	} {
		a := h.Get(t, fmt.Sprintf("/api/attempts/%d/log?%s", id, query))
		if wantStatus := map[bool]int{true: 404, false: 400}[strings.Contains(want, "not_found")]; a.Status != wantStatus || !strings.Contains(a.Body, want) {
			t.Errorf("%.60s = %d %s, want %s", query, a.Status, servertest.Short(a.Body), want)
		}
	}
	other := "Bearer " + h.Token(t, access.RoleRead, "two")
	if a := h.Do(t, http.MethodGet, fmt.Sprintf("/api/attempts/%d/log", id), "", "", "Authorization", other); a.Status != http.StatusNotFound {
		t.Errorf("another project's output = %d %s, want 404", a.Status, a.Body)
	}
	off := servertest.New(t, func(o *server.Options) { o.Output.Logs = nil })
	a := off.Get(t, fmt.Sprintf("/api/attempts/%d/log", off.InsertTasks(t, "one")))
	if a.Status != http.StatusNotFound || !strings.Contains(a.Body, `"code":"log_off"`) {
		t.Errorf("without a store = %d %s, want log_off", a.Status, a.Body)
	}
}

// TestGetLogOfRunningTask follows output while it is written.
func TestGetLogOfRunningTask(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	id := h.InsertTasks(t, "one", &trowel.Task{FullName: "+main+a", State: trowel.TaskRunning, Try: 1, ClaimedAt: time.Now()})
	path := fmt.Sprintf("/api/attempts/%d/log?task=%%2Bmain%%2Ba&from=", id)
	if a := h.Get(t, path+"0"); a.Status != 200 || a.Body != "" || a.Header.Get("Trowel-Log-Size") != "0" || a.Header.Get("Trowel-Log-Done") != "false" {
		t.Errorf("before any output: %d %q %v", a.Status, a.Body, a.Header)
	}
	stored := make(chan struct{}, 10)
	g := tasklog.NewGatherer(tasklog.GathererOptions{
		Agent: "1@host", Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Insert: func(ctx context.Context, chunks []trowel.LogChunk) error {
			defer func() { stored <- struct{}{} }()
			return tasklog.Into(h.Store)(ctx, chunks)
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- g.Run(ctx) }()
	w := g.Open(&trowel.Lease{AttemptID: id, FullName: "+main+a", Context: &trowel.AttemptContext{}})
	from := "0"
	for _, c := range []struct{ write, want string }{{"one\ntw", "one\ntw"}, {"o\nthree\n", "two\nthree\n"}, {"four\n", "four\n"}} {
		if _, err := w.Write([]byte(c.write)); err != nil {
			t.Fatal(err)
		}
		<-stored
		a := h.Get(t, path+from)
		if a.Body != c.want || a.Header.Get("Trowel-Log-Done") != "false" {
			t.Errorf("from %s = %q, want %q", from, a.Body, c.want)
		}
		from = a.Header.Get("Trowel-Log-End")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
