package tasklog

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

var (
	created = time.Date(2024, 1, 1, 23, 59, 59, 0, time.FixedZone("", -3600)) // already the 2nd in UTC
	opened  = time.Unix(0x65935a80, 0x12a05f20)
)

func testLease(task string) *trowel.Lease {
	return &trowel.Lease{
		FullName: task, Zone: time.FixedZone("", 9*3600),
		Context: &trowel.AttemptContext{
			Project: trowel.Project{ID: 1}, Workflow: trowel.Workflow{Name: "daily"},
			Session: trowel.Session{Time: time.Date(2024, 1, 1, 15, 0, 0, 0, time.UTC)},
		},
	}
}

// files lists all files below a folder, relative to it.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			path, err = filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// read returns the text of a log as far as it can be read, and whether that is all.
func read(t *testing.T, path string) (text string, whole bool) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	zip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(zip)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("read %s: %v", path, err)
	}
	return string(data), err == nil
}

func newLogs(tb testing.TB, dir string) *Logs {
	tb.Helper()
	logs, err := New(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return logs
}

func open(t *testing.T, logs *Logs, lease *trowel.Lease) io.WriteCloser {
	t.Helper()
	log, err := logs.Open(lease, "1234@host", created, opened)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func put(t *testing.T, log io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(log, text); n != len(text) || err != nil {
		t.Errorf("Write = %d, %v, want %d, nil", n, err, len(text))
	}
}

func closeLog(t *testing.T, log io.Closer) {
	t.Helper()
	if err := log.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
}

// server 5.1.
func TestName(t *testing.T) {
	t.Parallel()
	long := "+wf" + strings.Repeat("+group", 60)
	cases := []struct {
		name   string
		change func(*trowel.Lease)
		want   string // a pattern
	}{
		{"plain", func(*trowel.Lease) {}, `2024-01-02/0\.1daily@20240102T000000\+0900/\+daily\+step1@65935a8012a05f20\.1234@host\.log\.gz`},
		{
			"named attempt", func(l *trowel.Lease) { l.Scope = param.Of("retry_attempt_name", "again") },
			`2024-01-02/0\.1daily@20240102T000000\+0900_again/\+daily\+step1@.*`,
		},
		{
			"workflow in a folder", func(l *trowel.Lease) { l.Context.Workflow.Name = "sub/daily" },
			`2024-01-02/0\.1sub/daily@20240102T000000\+0900/\+daily\+step1@.*`,
		},
		{"no zone", func(l *trowel.Lease) { l.Zone = nil }, `2024-01-02/0\.1daily@20240101T150000\+0000/.*`},
		{
			"leads out", func(l *trowel.Lease) { l.Scope = param.Of("retry_attempt_name", "x/../../../..") },
			`2024-01-02/0\.1daily@20240102T000000\+0900_x(/\.\.~[0-9a-f]{16}){4}/\+daily.*`,
		},
		{
			"long task (C13a)", func(l *trowel.Lease) { l.FullName = long },
			`2024-01-02/[^/]*/\+wf(\+group)+[+a-z]*~[0-9a-f]{16}@65935a8012a05f20\.1234@host\.log\.gz`,
		},
		{
			"long attempt (server 4.5)", func(l *trowel.Lease) { l.Scope = param.Of("retry_attempt_name", strings.Repeat("é", 250)) },
			`2024-01-02/0\.1daily@20240102T000000\+0900_é+~[0-9a-f]{16}/\+daily.*`,
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			lease := testLease("+daily+step1")
			tc.change(lease)
			log := open(t, newLogs(t, dir), lease)
			put(t, log, "text\n")
			closeLog(t, log)
			got := files(t, dir)
			if len(got) != 1 || !regexp.MustCompile(`^`+tc.want+`$`).MatchString(got[0]) {
				t.Errorf("files = %q, want one that matches %s", got, tc.want)
			}
		})
	}
}

// Names that are cut are told apart by what was cut off.
func TestFitting(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("日", 100)
	a, b := fitting(long+"a", 100), fitting(long+"b", 100)
	if a == b || len(a) > 100 || len(b) > 100 || !strings.HasPrefix(a, "日") {
		t.Errorf("fitting = %q and %q, want two different names of at most 100 bytes", a, b)
	}
	if got := fitting("short", 100); got != "short" {
		t.Errorf("fitting(short) = %q, want it as it is", got)
	}
}

// Two tries of a task at one instant have a file each.
func TestSameInstant(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	logs := newLogs(t, dir)
	for _, text := range []string{"one", "two"} {
		log := open(t, logs, testLease("+daily+step1"))
		put(t, log, text)
		closeLog(t, log)
	}
	var got []string
	for _, file := range files(t, dir) {
		text, _ := read(t, filepath.Join(dir, file))
		got = append(got, file[len(file)-len("65935a8012a05f20.1234@host.log.gz"):]+" "+text)
	}
	want := []string{"65935a8012a05f20.1234@host.log.gz one", "65935a8012a05f21.1234@host.log.gz two"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
}

// server 5.2: the content is what was written, for all sizes of chunks and all delays.
func TestContent(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			log := open(t, newLogs(t, dir), testLease("+daily+step1"))
			var want strings.Builder
			for range rnd.IntN(30) {
				text := strings.Repeat(fmt.Sprintf("line %d\xff\n", rnd.Int()), rnd.IntN(1+rnd.IntN(5000)))
				want.WriteString(text)
				put(t, log, text)
				if rnd.IntN(3) == 0 {
					<-time.After(time.Duration(rnd.IntN(1000)) * time.Millisecond)
				}
			}
			closeLog(t, log)
			closeLog(t, log)
			got, whole := read(t, filepath.Join(dir, files(t, dir)[0]))
			if got != want.String() || !whole {
				t.Errorf("seed %d: %d bytes, whole %t, want %d bytes, true", seed, len(got), whole, want.Len())
			}
		})
	}
}

// A flood is kept whole too.
func TestFlood(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := open(t, newLogs(t, dir), testLease("+daily+step1"))
	line := strings.Repeat("0123456789", 10) + "\n"
	text := strings.Repeat(line, (bestBytes+4<<20)/len(line))
	put(t, log, text)
	put(t, log, text[:100])
	closeLog(t, log)
	if got, whole := read(t, filepath.Join(dir, files(t, dir)[0])); got != text+text[:100] || !whole {
		t.Errorf("%d bytes, whole %t, want %d bytes, true", len(got), whole, len(text)+100)
	}
}

// What a running task has written can be read within a second.
func TestReadWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := open(t, newLogs(t, dir), testLease("+daily+step1"))
		path := filepath.Join(dir, files(t, dir)[0])
		want := ""
		for i := range 3 {
			line := fmt.Sprintf("line %d\n", i)
			put(t, log, line)
			<-time.After(time.Second)
			want += line
			if got, whole := read(t, path); got != want || whole {
				t.Errorf("log of a running task = %q, whole %t, want %q, false", got, whole, want)
			}
		}
		closeLog(t, log)
		if got, whole := read(t, path); got != want || !whole {
			t.Errorf("log = %q, whole %t, want %q, true", got, whole, want)
		}
	})
}

// A thousand logs are open at the same time.
func TestManyLogs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	logs := newLogs(t, dir)
	const n = 1000
	var all sync.WaitGroup
	ready := make(chan struct{})
	var opening sync.WaitGroup
	opening.Add(n)
	for i := range n {
		all.Go(func() {
			log := open(t, logs, testLease(fmt.Sprintf("+daily+step%d", i)))
			opening.Done()
			<-ready
			for range 10 {
				put(t, log, fmt.Sprintf("output of %d\n", i))
			}
			closeLog(t, log)
		})
	}
	opening.Wait()
	close(ready)
	all.Wait()
	list := files(t, dir)
	if len(list) != n {
		t.Fatalf("%d files, want %d", len(list), n)
	}
	for _, file := range list {
		task, _, _ := strings.Cut(filepath.Base(file), "@")
		want := strings.Repeat("output of "+strings.TrimPrefix(task, "+daily+step")+"\n", 10)
		if got, _ := read(t, filepath.Join(dir, file)); got != want {
			t.Errorf("log of %s = %q, want %q", task, got, want)
		}
	}
}

// If a directory cannot be created, the error comes before anything runs, or names the task.
func TestOpenError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	logs := newLogs(t, dir)
	file := filepath.Join(dir, "2024-01-02")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := logs.Open(testLease("+daily+step1"), "1@host", created, opened)
	if err == nil || !strings.HasPrefix(err.Error(), "open the log of task +daily+step1: ") {
		t.Errorf("Open below a file = %v, want an error that names the task", err)
	}
	if _, err := New(file); err == nil {
		t.Error("New(a file) = nil, want an error")
	}
}

// Text that could not be written is an error of the next Write, or of Close.
func TestWriteError(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	log := &log{logs: newLogs(t, t.TempDir()), file: full, timer: time.NewTimer(time.Hour)}
	if _, err := log.Write(make([]byte, chunkBytes)); err == nil {
		t.Error("Write to a full disk = nil, want an error")
	}
	if _, err := log.Write([]byte("x")); err == nil {
		t.Error("the next Write = nil, want an error")
	}
	if err := log.Close(); err == nil {
		t.Error("Close() = nil, want an error")
	}
	if _, err := log.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Close = %v, want os.ErrClosed", err)
	}
}

func BenchmarkLog(b *testing.B) {
	log, err := newLogs(b, b.TempDir()).Open(testLease("+daily+step1"), "1@host", created, opened)
	if err != nil {
		b.Fatal(err)
	}
	var data []byte
	for i := 0; len(data) < 32<<10; i++ {
		data = fmt.Appendf(data, "2024-01-02 03:04:05 row %d of 12345 loaded, next is %d\n", i*7919%1000, i)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := log.Write(data); err != nil {
			b.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
}
