package agent

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// How much of a task's output is kept for the report of a failure.
const (
	keptLines     = 20
	keptLineBytes = 1000
)

// output passes on what a task prints and keeps the last lines.
type output struct {
	to io.Writer

	mu    sync.Mutex
	lines []string // ring buffer of the last complete lines
	next  int      // index of the oldest, once the ring is full
	part  []byte   // the incomplete line
}

func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	o.remember(data)
	o.mu.Unlock()
	return o.to.Write(data)
}

func (o *output) remember(data []byte) {
	if lines := bytes.Count(data, []byte{'\n'}); lines > keptLines+1 {
		// Only the end of a large piece can still matter.
		for ; lines > keptLines+1; lines-- {
			data = data[bytes.IndexByte(data, '\n')+1:]
		}
		o.part = o.part[:0]
	}
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			o.extend(data)
			return
		}
		o.extend(data[:end])
		o.keep(readable(o.part))
		o.part = o.part[:0]
		data = data[end+1:]
	}
}

func (o *output) extend(data []byte) {
	if room := keptLineBytes - len(o.part); room > 0 {
		o.part = append(o.part, data[:min(room, len(data))]...)
	}
}

func (o *output) keep(line string) {
	if len(o.lines) < keptLines {
		o.lines = append(o.lines, line)
		return
	}
	o.lines[o.next] = line
	o.next = (o.next + 1) % keptLines
}

// lastLines returns the last lines of output, oldest first, at most 20.
func (o *output) lastLines() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.part) > 0 {
		o.keep(readable(o.part))
		o.part = o.part[:0]
	}
	return append(append([]string{}, o.lines[o.next:]...), o.lines[:o.next]...)
}

// readable turns arbitrary bytes into a line of text.
func readable(line []byte) string {
	text := strings.TrimRight(string(line), "\r")
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
