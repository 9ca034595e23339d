package tasklog

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"

	trowel "github.com/trowel-project/trowel"
)

// largeBytes is how many compressed bytes of a file may be in the database before Large is called.
const largeBytes = 4 << 20

// Writer is the log of one try. Its text is the output of commands, unchanged, and the lines of Logger. It is safe for
// concurrent use; each Write stays in one piece.
type Writer struct {
	gatherer *Gatherer
	lease    *trowel.Lease

	outer sync.Mutex // held during a Write, so that text that the mask holds back keeps its place
	mask  io.WriteCloser

	mu      sync.Mutex
	file    string
	seq     int
	lines   int64 // before text
	offset  int64 // bytes before text
	inline  int64 // compressed bytes stored since Large was called
	text    []byte
	unsaved []trowel.LogChunk // in order; only the gatherer removes from the front
	closed  bool
	err     error // of compression; it never happens
}

// Write implements io.Writer. It blocks while too much output waits to be stored.
func (w *Writer) Write(data []byte) (int, error) {
	w.outer.Lock()
	defer w.outer.Unlock()
	if w.mask == nil {
		return w.write(data)
	}
	return w.mask.Write(data)
}

// raw takes what the mask lets through.
type raw struct{ w *Writer }

func (r raw) Write(data []byte) (int, error) { return r.w.write(data) }

func (w *Writer) write(data []byte) (int, error) {
	if w.gatherer.opts.Insert == nil {
		return len(data), nil
	}
	w.gatherer.wait()
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return 0, os.ErrClosed
	}
	w.text = append(w.text, data...)
	added := 0
	var err error
	if len(w.text) >= chunkBytes {
		added, err = w.cut()
	}
	w.mu.Unlock()
	if added > 0 {
		w.gatherer.count(added)
	}
	w.gatherer.changed(w)
	if err != nil {
		return 0, err
	}
	return len(data), nil
}

// cut makes a chunk of the present text, and returns its size. The caller holds the mutex.
func (w *Writer) cut() (added int, err error) {
	if len(w.text) == 0 || w.err != nil {
		return 0, w.err
	}
	if split := w.gatherer.opts.SplitBytes; split > 0 && w.offset > split {
		w.file, w.seq, w.lines, w.offset, w.inline = w.gatherer.name(w.lease), 0, 0, 0, 0
	}
	data, err := w.gatherer.zips.member(w.text, w.offset)
	if err != nil {
		w.err = err
		return 0, err
	}
	c := trowel.LogChunk{
		AttemptID: w.lease.AttemptID, File: w.file, Seq: w.seq, FirstLine: w.lines, Lines: int64(bytes.Count(w.text, []byte{'\n'})),
		Offset: w.offset, TextBytes: int64(len(w.text)), DataBytes: int64(len(data)), Data: data,
		Searched: true, ErrorAt: int64(w.gatherer.errors.last(w.text)),
	}
	w.seq++
	w.lines += c.Lines
	w.offset += c.TextBytes
	w.unsaved = append(w.unsaved, c)
	w.text = w.text[:0]
	if cap(w.text) > 2*chunkBytes {
		w.text = nil
	}
	return len(data), nil
}

// unstored returns all chunks that are not stored. A closed Writer returns none: they went with the report.
func (w *Writer) unstored() ([]trowel.LogChunk, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, nil
	}
	added, err := w.cut()
	w.gatherer.count(added)
	return append([]trowel.LogChunk(nil), w.unsaved...), err
}

// stored notes that the first count chunks are stored.
func (w *Writer) stored(count int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	bytes := 0
	for i := range w.unsaved[:count] {
		bytes += len(w.unsaved[i].Data)
	}
	w.unsaved = w.unsaved[count:]
	w.gatherer.count(-bytes)
	if w.inline += int64(bytes); w.inline > largeBytes && w.gatherer.opts.Large != nil {
		w.inline = 0
		w.gatherer.opts.Large(w.lease.AttemptID, w.file)
	}
}

// Close ends the log; see Remainder. Closing twice is harmless.
func (w *Writer) Close() error {
	w.outer.Lock()
	defer w.outer.Unlock()
	var err error
	if w.mask != nil {
		err = w.mask.Close()
		w.mask = nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return err
	}
	w.closed = true
	waiting := 0
	for i := range w.unsaved {
		waiting += len(w.unsaved[i].Data)
	}
	_, errCut := w.cut()
	w.gatherer.forget(w, waiting)
	return errors.Join(err, errCut)
}

// Remainder returns, after Close, the chunks that are not known to be stored. They belong in the report of the try, to be
// stored with its end. Storing a chunk twice is harmless.
func (w *Writer) Remainder() []trowel.LogChunk {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unsaved
}

// Logger returns a logger whose entries are lines of the log, with the name of the task (server 5.2).
func (w *Writer) Logger() *slog.Logger {
	return slog.New(NewHandler(w, w.lease, w.gatherer.opts.Level))
}
