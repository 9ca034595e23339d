package remotecmd

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/client"
)

// zipped returns a gzip file. One that is being written has no end.
func zipped(text string, whole bool) string {
	var data bytes.Buffer
	zip := gzip.NewWriter(&data)
	_, _ = zip.Write([]byte(text))
	if whole {
		_ = zip.Close()
	} else {
		_ = zip.Flush()
	}
	return data.String()
}

// listedLog returns an entry of a list of log files.
func listedLog(name, task, at string, size int) string {
	return fmt.Sprintf(`{"fileName":%q,"fileSize":%d,"taskName":%q,"fileTime":%q,"agentId":"a","direct":null}`, name, size, task, at)
}

// TestLog checks which lines log prints, and in which order (server 1.10.9): tasks in the order in which they
// began, whose exact times are in the names, and the files of one task by time.
func TestLog(t *testing.T) {
	t.Parallel()
	second := "2024-01-15T00:00:00Z" // 65a47680
	files := `{"files":[` + strings.Join([]string{
		listedLog("+m+b@65a4768000000005.7@h.log.gz", "+m+b", second, 9),
		listedLog("+m+a@65a4768100000000.7@h.log.gz", "+m+a", "2024-01-15T00:00:01Z", 9),
		listedLog("+m+a@65a4768000000001.7@h.log.gz", "+m+a", second, 9),
	}, ",") + `]}`
	debug := "2024-01-15 00:00:00.123 +0000 [DEBUG] (x): hidden\n  goes with it\n"
	known := clitest.Answers{
		"GET logs/4/files":                                          files,
		"GET logs/4/files?task=%2Bm%2Ba":                            files,
		"GET logs/4/files?task=%2Bnone":                             `{"files":[]}`,
		"GET logs/4/files/%2Bm%2Bb%4065a4768000000005.7%40h.log.gz": zipped("b\n", true),
		"GET logs/4/files/%2Bm%2Ba%4065a4768000000001.7%40h.log.gz": zipped("a1\n"+debug+"2024-01-15 00:00:01.000 +0000 [INFO] (x): shown\n[odd] goes with it\n", true),
		"GET logs/4/files/%2Bm%2Ba%4065a4768100000000.7%40h.log.gz": zipped("a2\nno end", false),
	}
	shown := "2024-01-15 00:00:01.000 +0000 [INFO] (x): shown\n[odd] goes with it\n"
	asked := func(query string) []string {
		return []string{
			"GET logs/4/files" + query, "GET logs/4/files/%2Bm%2Ba%4065a4768000000001.7%40h.log.gz",
			"GET logs/4/files/%2Bm%2Ba%4065a4768100000000.7%40h.log.gz", "GET logs/4/files/%2Bm%2Bb%4065a4768000000005.7%40h.log.gz",
		}
	}
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{Name: "all", Args: "log 4", Known: known, Stdout: "a1\n" + shown + "a2\nb\nno end\n", Asked: asked("")},
		{Name: "verbose", Args: "logs 4 +m+a -v", Known: known, Stdout: "a1\n" + debug + shown + "a2\nb\nno end\n", Asked: asked("?task=%2Bm%2Ba")},
		{Name: "no such task", Args: "log 4 +none", Known: known, Asked: []string{"GET logs/4/files?task=%2Bnone"}, Stderr: "attempt 4 has no logs of tasks whose full names begin with +none; `trowel tasks 4 -e SERVER` lists them\n"},
		{Name: "no id", Args: "log x", Exit: 1, Stderr: "Usage: trowel log <attempt-id> [+task name prefix]\n...error: For input string: \"x\"\nan id is a number\n"},
	})
}

// TestLogSpoiled checks that a file that cannot be read does not hide others.
func TestLogSpoiled(t *testing.T) {
	t.Parallel()
	whole := zipped("a text that is long enough\n", true)
	second := "2024-01-15T00:00:00Z"
	files := `{"files":[` + listedLog("a", "+m+a", second, 9) + "," + listedLog("b", "+m+b", second, 9) + `]}`
	var cases []clitest.Case
	for _, row := range []struct{ name, data, stdout, stderr string }{
		{"no gzip", "not gzip at all", "other\n", "gzip: invalid header"},
		{"another sum", whole[:len(whole)-8] + "xxxx" + whole[len(whole)-4:], "a text that is long enough\nother\n", "gzip: invalid checksum"},
		{"corrupt", whole[:12] + "xxxxxxxx" + whole[20:], "other\n", "flate: corrupt input before offset 8"},
	} {
		cases = append(cases, clitest.Case{
			Name: row.name, Args: "log 4", Exit: 1,
			Known: clitest.Answers{
				"GET attempts/4": clitest.AttemptDone, "GET logs/4/files": files, "GET logs/4/files/a": row.data, "GET logs/4/files/b": zipped("other\n", true),
			},
			Stdout: row.stdout, Stderr: "error: read the log a: " + row.stderr + "\n", Asked: []string{"GET logs/4/files", "GET logs/4/files/a", "GET logs/4/files/b"},
		})
	}
	clitest.RunCases(t, commandLine(), cases)
}

// TestLogLongLine checks that lines of any length are shown, and that long ones are not kept in memory.
func TestLogLongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", maxShownLine/4)
	for _, screen := range []bool{false, true} {
		server := clitest.NewAPI(t, clitest.Answers{
			"GET logs/4/files":   `{"files":[` + listedLog("f", "+m", "2024-01-15T00:00:00Z", 5) + `]}`,
			"GET logs/4/files/f": zipped("first\n"+long+"\nlast", true),
		})
		remote, err := client.New(client.Options{Endpoint: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(remote.Close)
		out := &longest{}
		l := &logShow{server: remote, out: out, attempt: 4, screen: screen}
		if _, err := l.once(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if err := l.finish(); err != nil {
			t.Fatal(err)
		}
		if out.String() != "first\n"+long+"\nlast\n" {
			t.Errorf("on a terminal %v: the log has %d bytes, or other ones, want %d", screen, out.Len(), len(long)+12)
		}
		if out.most > maxShownLine+10 {
			t.Errorf("on a terminal %v: %d bytes are written at once, want %d at most", screen, out.most, maxShownLine)
		}
	}
}

// longest records the longest write.
type longest struct {
	bytes.Buffer
	most int
}

func (l *longest) Write(data []byte) (int, error) {
	l.most = max(l.most, len(data))
	return l.Buffer.Write(data)
}

// WriteString implements io.StringWriter.
func (l *longest) WriteString(text string) (int, error) { return l.Write([]byte(text)) }

// TestLogFollow checks that each line appears once, as soon as it is complete, and that the last ones are
// printed when the attempt has ended.
func TestLogFollow(t *testing.T) {
	t.Parallel()
	// What the server has at each poll. The attempt ends with the fourth one.
	looks := []string{zipped("one\ntw", false), zipped("one\ntw", false), zipped("one\ntwo\n", false), zipped("one\ntwo\nthree", false), zipped("one\ntwo\nthree\n", true)}
	look, reads := -1, 0
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/attempts/4", func(w http.ResponseWriter, _ *http.Request) {
		look = min(look+1, len(looks)-1)
		text := clitest.AttemptDone
		if look < 3 {
			text = strings.Replace(text, `"done":true`, `"done":false`, 1)
		}
		_, _ = w.Write([]byte(text))
	})
	mux.HandleFunc("GET /api/logs/4/files", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"files":[%s]}`, listedLog("f", "+m", "2024-01-15T00:00:00Z", len(looks[look])))
	})
	mux.HandleFunc("GET /api/logs/4/files/f", func(w http.ResponseWriter, _ *http.Request) {
		reads++
		_, _ = w.Write([]byte(looks[look]))
	})
	remote := clientOf(t, httptest.NewServer(mux))
	var out bytes.Buffer
	l := &logShow{server: remote, out: &out, attempt: 4}
	if err := l.follow(t.Context(), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("one\ntwo\nthree\n", out.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if reads != 4 { // not at the poll without anything new
		t.Errorf("the log was read %d times, want 4", reads)
	}
}

// TestLogFollowServerGoesAway checks that the command waits for a server that goes away, wherever that happens, and
// that no line is lost or printed twice. A server that refuses, or never answered, ends the command.
func TestLogFollowServerGoesAway(t *testing.T) {
	t.Parallel()
	// Requests are numbered from 1. Without a failure a poll requests the attempt, the list and the file. The client
	// itself tries several times before it gives up.
	there := []string{"waiting for the server", "the server answers again"}
	cases := []struct {
		name           string
		from, requests int // the first request that fails, and how many do
		status         int // status of the answers; 0 if the connection ends without an answer
		want           string
		notes          []string
		code           int // code of the refusal that ends the command
	}{
		{"attempt", 4, 25, 503, "one\ntwo\n", there, 0},
		{"list", 5, 25, 502, "one\ntwo\n", there, 0},
		{"file", 6, 25, 503, "one\ntwo\n", there, 0},
		{"first file", 3, 25, 503, "one\ntwo\n", there, 0},
		{"no answer", 4, 50, 0, "one\ntwo\n", there, 0},
		{"refused", 5, 25, 401, "one\n", nil, 401},
		{"never there", 1, 25, 503, "", nil, 503},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			requests, looks := 0, 0
			text := func() string { return []string{"", "one\n", "one\ntwo\n"}[min(looks, 2)] }
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				if requests >= c.from && requests < c.from+c.requests {
					if c.status == 0 {
						panic(http.ErrAbortHandler)
					}
					w.WriteHeader(c.status)
					return
				}
				switch r.URL.Path {
				case "/api/attempts/4":
					looks++
					_, _ = w.Write([]byte(strings.Replace(clitest.AttemptDone, `"done":true`, fmt.Sprintf(`"done":%t`, looks > 1), 1)))
				case "/api/logs/4/files":
					_, _ = fmt.Fprintf(w, `{"files":[%s]}`, listedLog("f", "+m", "2024-01-15T00:00:00Z", len(text())))
				default:
					_, _ = w.Write([]byte(zipped(text(), true)))
				}
			}))
			remote := clientOf(t, server)
			var out bytes.Buffer
			var notes []string
			l := &logShow{server: remote, out: &out, attempt: 4, away: awayServer{least: time.Microsecond, note: func(text string) {
				text, _, _ = strings.Cut(text, ": ")
				notes = append(notes, text)
			}}}
			err := l.follow(t.Context(), time.Microsecond)
			code := 0
			if refusal, ok := errors.AsType[*client.StatusError](err); ok {
				code = refusal.Code
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, out.String()) + cmp.Diff(c.notes, notes); diff != "" || code != c.code {
				t.Errorf("ended with %d, want %d; log and notes (-want +got):\n%s", code, c.code, diff)
			}
		})
	}
}

// TestLogSettles checks that a last line without an end is shown before the attempt has ended, once its
// file no longer grows, and that nothing is lost if it grows again.
func TestLogSettles(t *testing.T) {
	t.Parallel()
	looks := []string{zipped("one\ntw", true), zipped("one\ntw", true), zipped("one\ntwo\nthree", true), zipped("one\ntwo\nthree", true)}
	want := []string{"one\n", "one\ntw\n", "one\ntw\no\n", "one\ntw\no\nthree\n"}
	look := 0
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/logs/4/files", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"files":[%s]}`, listedLog("f", "+m", "2024-01-15T00:00:00Z", len(looks[look])))
	})
	mux.HandleFunc("GET /api/logs/4/files/f", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(looks[look])) })
	remote := clientOf(t, httptest.NewServer(mux))
	var out bytes.Buffer
	l := &logShow{server: remote, out: &out, attempt: 4}
	for look = range looks {
		if _, err := l.once(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[look], out.String()); diff != "" {
			t.Errorf("look %d (-want +got):\n%s", look, diff)
		}
	}
}

// TestLogFollowTask checks that with the name of a task only its state counts, unless the attempt is over,
// and that the command ends even if the end of a log never comes.
func TestLogFollowTask(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, state, attempt string
	}{
		{"task done, attempt not", "success", strings.Replace(clitest.AttemptDone, `"done":true`, `"done":false`, 1)},
		{"task never began", "blocked", clitest.AttemptDone},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := clitest.NewAPI(t, clitest.Answers{
				"GET attempts/4":                 tc.attempt,
				"GET attempts/4/tasks":           `{"tasks":[{"id":"1","fullName":"+m","state":"planned"},{"id":"2","fullName":"+m+a","state":"` + tc.state + `"},{"id":"3","fullName":"+m+b","state":"running"}]}`,
				"GET logs/4/files?task=%2Bm%2Ba": `{"files":[` + listedLog("f", "+m+a", "2024-01-15T00:00:00Z", 5) + `]}`,
				"GET logs/4/files/f":             zipped("no end", false),
			})
			remote, err := client.New(client.Options{Endpoint: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(remote.Close)
			var out bytes.Buffer
			l := &logShow{server: remote, out: &out, attempt: 4, prefix: "+m+a"}
			if err := l.follow(t.Context(), time.Millisecond); err != nil {
				t.Fatal(err)
			}
			if out.String() != "no end\n" {
				t.Errorf("log = %q", out.String())
			}
		})
	}
}
