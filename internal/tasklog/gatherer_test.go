package tasklog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// shelf keeps pieces as a database does.
type shelf struct {
	mu      sync.Mutex
	chunks  map[string]trowel.LogChunk // by file and number
	inserts int
	fail    error
}

func (s *shelf) insert(_ context.Context, chunks []trowel.LogChunk) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inserts++
	if s.fail != nil {
		return s.fail
	}
	s.keep(chunks)
	return nil
}

func (s *shelf) keep(chunks []trowel.LogChunk) {
	if s.chunks == nil {
		s.chunks = map[string]trowel.LogChunk{}
	}
	for _, c := range chunks {
		key := fmt.Sprintf("%s %08d", c.File, c.Seq)
		if _, known := s.chunks[key]; !known {
			s.chunks[key] = c
		}
	}
}

// text puts a file together and checks what its pieces say of themselves.
func (s *shelf) text(tb testing.TB, file string) string {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var zipped []byte
	var text string
	var lines int64
	for seq := 0; ; seq++ {
		c, ok := s.chunks[fmt.Sprintf("%s %08d", file, seq)]
		if !ok {
			break
		}
		if c.FirstLine != lines || c.Offset != int64(len(text)) || c.DataBytes != int64(len(c.Data)) {
			tb.Errorf("piece %d of %s: first line %d, offset %d, %d bytes, want %d, %d, %d", seq, file, c.FirstLine, c.Offset, c.DataBytes, lines, len(text), len(c.Data))
		}
		zipped = append(zipped, c.Data...)
		more := unzip(tb, c.Data)
		if c.TextBytes != int64(len(more)) || c.Lines != int64(strings.Count(more, "\n")) {
			tb.Errorf("piece %d of %s: %d bytes and %d lines, want %d and %d", seq, file, c.TextBytes, c.Lines, len(more), strings.Count(more, "\n"))
		}
		text += more
		lines += c.Lines
	}
	if len(zipped) > 0 && unzip(tb, zipped) != text {
		tb.Errorf("%s as a whole is another text than its pieces", file)
	}
	return text
}

func unzip(tb testing.TB, data []byte) string {
	tb.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func (s *shelf) options() GathererOptions {
	return GathererOptions{Insert: s.insert, Agent: "1@host", Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
}

// gather runs a Gatherer and returns what ends it.
func gather(t *testing.T, opts GathererOptions) (*Gatherer, func()) {
	t.Helper()
	g := NewGatherer(opts)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- g.Run(ctx) }()
	return g, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	}
}

func closeWriter(t *testing.T, w *Writer, s *shelf) {
	t.Helper()
	closeLog(t, w)
	closeLog(t, w)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(w.Remainder())
}

// A short try costs no transaction of its own: all that it prints goes with its report.
func TestWriterOfShortTry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		g, end := gather(t, s.options())
		w := g.Open(testLease("+daily+a"))
		put(t, w, "one\n")
		put(t, w, "two")
		closeLog(t, w)
		rest := w.Remainder()
		if len(rest) != 1 || !regexp.MustCompile(`^\+daily\+a@[0-9a-f]{16}\.1@host\.log\.gz$`).MatchString(rest[0].File) {
			t.Errorf("rest = %+v, want one piece", rest)
		}
		<-time.After(time.Second)
		end()
		if s.inserts != 0 {
			t.Errorf("%d transactions, want none", s.inserts)
		}
		closeWriter(t, w, s)
		if got := s.text(t, w.file); got != "one\ntwo" {
			t.Errorf("text = %q", got)
		}
	})
}

// What running tries print is stored within half a second, for all tries in one transaction.
func TestWriterIsLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		g, end := gather(t, s.options())
		var writers []*Writer
		for i := range 50 {
			w := g.Open(testLease(fmt.Sprintf("+daily+t%d", i)))
			put(t, w, "begin\n")
			writers = append(writers, w)
		}
		<-time.After(500 * time.Millisecond)
		synctest.Wait()
		for _, w := range writers {
			if got := s.text(t, w.file); got != "begin\n" {
				t.Errorf("text of %s after half a second = %q, want begin", w.file, got)
			}
		}
		if s.inserts != 1 {
			t.Errorf("%d transactions, want 1", s.inserts)
		}
		<-time.After(time.Hour)
		synctest.Wait()
		if s.inserts != 1 {
			t.Errorf("%d transactions after a quiet hour, want 1", s.inserts)
		}
		for _, w := range writers {
			put(t, w, "end\n")
			closeWriter(t, w, s)
			if got := s.text(t, w.file); got != "begin\nend\n" {
				t.Errorf("text of %s = %q, want begin and end", w.file, got)
			}
		}
		end()
	})
}

// For all sizes, delays and failures of the database, nothing is lost or stored twice.
func TestWriterKeepsAll(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			s := &shelf{}
			g, end := gather(t, s.options())
			var all sync.WaitGroup
			for i := range uint64(5) {
				rnd := rand.New(rand.NewPCG(seed, i))
				all.Go(func() {
					w := g.Open(testLease("+daily+step1"))
					var want strings.Builder
					for range rnd.IntN(20) {
						text := strings.Repeat(fmt.Sprintf("line %d\xff\n", rnd.Int()), rnd.IntN(1+rnd.IntN(5000)))
						want.WriteString(text)
						put(t, w, text)
						if rnd.IntN(3) == 0 {
							<-time.After(time.Duration(rnd.IntN(1000)) * time.Millisecond)
						}
						if rnd.IntN(5) == 0 {
							s.mu.Lock()
							s.fail = []error{nil, errors.New("down")}[rnd.IntN(2)]
							s.mu.Unlock()
						}
					}
					closeWriter(t, w, s)
					if got := s.text(t, w.file); got != want.String() {
						t.Errorf("seed %d: %d bytes, want %d", seed, len(got), want.Len())
					}
				})
			}
			all.Wait()
			end()
			if g.waiting != 0 || len(g.dirty) != 0 {
				t.Errorf("seed %d: %d bytes wait for %d writers at the end, want none", seed, g.waiting, len(g.dirty))
			}
		})
	}
}

// A task that prints more than can be stored waits, and goes on when there is room, or none will come.
func TestWriterWaitsForRoom(t *testing.T) {
	t.Parallel()
	const room = 1 << 20
	noise := make([]byte, room/4)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // never fails
	for _, comesBack := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := &shelf{fail: errors.New("down")}
			opts := s.options()
			opts.MaxWaitingBytes = room
			g, end := gather(t, opts)
			w := g.Open(testLease("+daily+step1"))
			written := make(chan int, 1)
			go func() {
				for range 6 {
					put(t, w, string(noise))
				}
				written <- 1
			}()
			<-time.After(time.Minute)
			select {
			case <-written:
				t.Error("all was written while nothing could be stored")
			default:
			}
			if comesBack {
				s.mu.Lock()
				s.fail = nil
				s.mu.Unlock()
			} else {
				end()
			}
			<-written
			closeWriter(t, w, s)
			if got := s.text(t, w.file); got != strings.Repeat(string(noise), 6) {
				t.Errorf("%d bytes, want %d", len(got), 6*len(noise))
			}
			if comesBack {
				end()
			}
		})
	}
}

// server 3.1, split_size: a new file begins after so much text.
func TestWriterSplits(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	opts := s.options()
	opts.SplitBytes = chunkBytes
	at := time.Unix(1, 0)
	opts.Now = func() time.Time { return at } // clocks may stand still
	g := NewGatherer(opts)
	w := g.Open(testLease("+daily+step1"))
	text := strings.Repeat("x", chunkBytes)
	for range 5 {
		put(t, w, text)
	}
	closeWriter(t, w, s)
	files := map[string]bool{}
	total := 0
	for _, c := range s.chunks {
		if !files[c.File] {
			files[c.File] = true
			total += len(s.text(t, c.File))
		}
	}
	if len(files) != 3 || total != 5*chunkBytes {
		t.Errorf("%d files with %d bytes, want 3 with %d", len(files), total, 5*chunkBytes)
	}
}

// withheld masks, and holds back all that comes until a line ends.
type withheld struct {
	to   io.Writer
	held []byte
}

func (m *withheld) Write(data []byte) (int, error) {
	m.held = append(m.held, data...)
	end := bytes.LastIndexByte(m.held, '\n') + 1
	out := bytes.ReplaceAll(m.held[:end], []byte("secret"), []byte("********"))
	m.held = append([]byte(nil), m.held[end:]...)
	_, err := m.to.Write(out)
	return len(data), err
}

func (m *withheld) Close() error {
	_, err := m.to.Write(bytes.ReplaceAll(m.held, []byte("secret"), []byte("********")))
	return err
}

// server 5.2: lines of the log and output keep their order, and are masked alike.
func TestWriterLines(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	opts := s.options()
	opts.Mask = func(to io.Writer) io.WriteCloser { return &withheld{to: to} }
	g := NewGatherer(opts)
	lease := testLease("+daily+step1")
	lease.TaskID, lease.AttemptID, lease.Context.Session.ID, lease.Context.Project.Name = 4, 3, 2, "etl"
	w := g.Open(lease)
	log := w.Logger()
	log.Info("sh>: echo secret")
	put(t, w, "the sec")
	put(t, w, "ret is out\n")
	log.Debug("not shown")
	log.With(slog.Int("try", 1)).Error("Task failed", slog.Int("code", 7))
	put(t, w, "no end of line: secret")
	closeWriter(t, w, s)
	const instant = `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [+-]\d{4} `
	want := `^` + instant + `\[INFO\] \(4@\[0:etl:2:3\]\+daily\+step1\) trowel\.agent: sh>: echo \*{8}
the \*{8} is out
` + instant + `\[ERROR\] \(4@\[0:etl:2:3\]\+daily\+step1\) trowel\.agent: Task failed try=1 code=7
no end of line: \*{8}$`
	if got := s.text(t, w.file); !regexp.MustCompile(want).MatchString(got) {
		t.Errorf("log = %q, want one like %s", got, want)
	}
	if _, err := w.Write([]byte("late")); err == nil {
		t.Error("Write after Close = nil, want an error")
	}
}

// With log-server.type = null nothing is kept.
func TestWriterKeepsNothing(t *testing.T) {
	t.Parallel()
	g := NewGatherer(GathererOptions{Agent: "1@host", Now: time.Now})
	w := g.Open(testLease("+daily+step1"))
	put(t, w, strings.Repeat("x", 3*defaultMaxWaiting))
	closeLog(t, w)
	if rest := w.Remainder(); len(rest) != 0 || len(g.dirty) != 0 {
		t.Errorf("rest = %d pieces, want none", len(rest))
	}
}

// BenchmarkSmallLogs is about tries that print three lines: 20,000 of them a second must be possible.
func BenchmarkSmallLogs(b *testing.B) {
	s := &shelf{}
	g := NewGatherer(s.options())
	lease := testLease("+daily+step1")
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			w := g.Open(lease)
			log := w.Logger()
			log.Info("sh>: echo hello")
			if _, err := io.WriteString(w, "hello\n"); err != nil {
				b.Error(err)
			}
			if err := w.Close(); err != nil || len(w.Remainder()) != 1 {
				b.Error(err)
			}
		}
	})
}
