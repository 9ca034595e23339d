package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// doorBars returns the bars about what one caller can make a server do, on SQLite.
func doorBars() []bar {
	return []bar{
		{name: "server: keys", measure: manyKeys, look: "TestManyKeys and BenchmarkParseKeys of internal/param tell what reading them costs"},
		{name: "server: refused push", measure: refusedPush},
		{name: "server: streams", measure: manyStreams, look: "/proc/PID/fd of the server tells what is open"},
	}
}

// serveSQLite starts a server on a new SQLite file.
func (b *bench) serveSQLite(settings ...string) (*server, error) {
	db, err := b.sqlite()
	if err != nil {
		return nil, err
	}
	return b.serve(db, settings...)
}

// manyKeys starts attempts with very many parameters. The time must not grow faster than their number.
func manyKeys(b *bench) (results []result, err error) {
	s, err := b.serveSQLite()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	id, err := s.push("keys", "keys", "keys.dig", "+a:\n  echo>: here it is\n")
	if err != nil {
		return nil, err
	}
	few, err := median(5, func() (sample, error) { return s.startWith(id, keys(100_000)) })
	if err != nil {
		return nil, err
	}
	many, err := median(3, func() (sample, error) { return s.startWith(id, keys(1_000_000)) })
	if err != nil {
		return nil, err
	}
	return []result{
		{name: "server: attempt with 100,000 keys", got: few.wall.Seconds(), limit: 0.15, unit: "s"},
		{name: "server: attempt with 1,000,000 keys", got: many.wall.Seconds(), limit: 1.5, unit: "s"},
		{name: "server: time a key of 1,000,000, against 100,000", got: many.wall.Seconds() / few.wall.Seconds() / 10, limit: 2, unit: "x"},
	}, nil
}

// keys returns a JSON object with n keys.
func keys(n int) string {
	return "{" + strings.TrimSuffix(repeat(n, `"k%d":1,`), ",") + "}"
}

// startWith starts an attempt with parameters, and returns when there is an answer.
func (s *server) startWith(workflow api.ID, params string) (sample, error) {
	at := firstSession.Add(time.Duration(s.bench.sessions.Add(1)) * time.Second)
	body := fmt.Appendf(nil, `{"workflowId":"%d","sessionTime":"%s","params":%s}`, workflow, at.Format(time.RFC3339), params)
	begun := time.Now()
	status, text, err := s.ask(context.Background(), http.MethodPut, "/api/attempts", body)
	took := sample{wall: time.Since(begun)}
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("start an attempt: %d %.200s", status, text)
	}
	return took, err
}

// refusedPush sends a project that is too large with a client that writes all of it before it reads.
func refusedPush(b *bench) (results []result, err error) {
	const size = 60 << 20
	s, err := b.serveSQLite("api.max_archive_total_size_limit = 1000000")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	before, err := s.usage()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.Endpoint(), "http://"))
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // it was read
	_, err = fmt.Fprintf(c, "PUT /api/projects?project=p&revision=r HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/gzip\r\nContent-Length: %d\r\n\r\n", size)
	if err == nil {
		_, err = c.Write(make([]byte, size))
	}
	if err != nil {
		return nil, fmt.Errorf("send a project that is too large: %w", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil, fmt.Errorf("read why a project is refused: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err == nil && (answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "exceeds limit")) {
		err = fmt.Errorf("a project that is too large is answered with %d %s", answer.StatusCode, text)
	}
	after, errAfter := s.usage()
	return []result{
		{name: "refused push of 60 MiB: until its reason is read", got: time.Since(begun).Seconds(), limit: 10, unit: "s"},
		{name: "refused push of 60 MiB: growth of RSS", got: after.peakMB - before.peakMB, limit: 20, unit: "MB"},
	}, errors.Join(err, errAfter)
}

// manyStreams asks for 2,000 event streams of a server that may open 1,024 files.
func manyStreams(b *bench) (results []result, err error) {
	const asked, files = 2000, 1024
	b.files = files
	s, err := b.serveSQLite()
	b.files = 0
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	before, err := s.usage()
	if err != nil {
		return nil, err
	}
	opened := s.descriptors()
	var all []net.Conn
	given := 0
	for range asked {
		c, ok, err := s.stream()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if ok {
			given++
		}
	}
	begun := time.Now()
	status, _, err := s.ask(context.Background(), http.MethodGet, "/api/projects", nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("another request is answered with %d", status)
	}
	took := time.Since(begun)
	for _, c := range all {
		_ = c.Close() // it only had to stay open
	}
	if err != nil {
		return nil, err
	}
	s.many.CloseIdleConnections()
	<-time.After(settling)
	after, err := s.usage()
	return []result{
		{name: "2,000 streams: another request", got: took.Seconds(), limit: 1, unit: "s"},
		{name: "2,000 streams: one caller's part of 256", got: float64(given) / 256, limit: 0.25, unit: "x"},
		{name: "2,000 streams: largest RSS", got: after.peakMB, limit: 200, unit: "MB"},
		{name: "2,000 streams: files left open", got: float64(s.descriptors() - opened), limit: 10, unit: ""},
		{name: "2,000 streams: growth of RSS", got: after.rssMB - before.rssMB, limit: 50, unit: "MB"},
	}, err
}

// stream asks for an event stream, and reports whether it gets one. The stream stays open.
func (s *server) stream() (c net.Conn, given bool, err error) {
	if c, err = net.Dial("tcp", strings.TrimPrefix(s.Endpoint(), "http://")); err != nil {
		return nil, false, err
	}
	if _, err = io.WriteString(c, "GET /api/events?topic=site HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		return nil, false, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil) //nolint:bodyclose // closing it would read the stream to its end
	if err != nil {
		return nil, false, err
	}
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusServiceUnavailable {
		err = fmt.Errorf("a stream is answered with %d", answer.StatusCode)
	}
	return c, answer.StatusCode == http.StatusOK, err
}

// descriptors returns how many files the server has open.
func (s *server) descriptors() int {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	return len(open)
}
