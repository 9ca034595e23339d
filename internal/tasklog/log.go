package tasklog

import (
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"time"
)

// When text is compressed and written.
const (
	chunkBytes = 64 << 10               // once there is so much of it
	chunkAfter = 500 * time.Millisecond // or so long after its first byte
	// bestBytes of a log are compressed as well as possible (server 5.2). What a flooding task prints beyond that is
	// compressed six times as fast.
	bestBytes = 16 << 20
)

// log is the open log of one try: a gzip file with one member (RFC 1952), which is compressed in chunks. No chunk refers
// to an earlier one. So between chunks a log costs only its waiting text, and a thousand can be open. Each chunk ends at
// a byte boundary, so what is in the file can be read.
type log struct {
	logs *Logs
	file *os.File

	mu      sync.Mutex
	text    []byte // not written yet
	size    int64  // bytes of all text
	sum     uint32 // CRC-32 of all text
	timer   *time.Timer
	waiting bool // a timer will write the text
	closed  bool
	err     error // of a chunk that the timer wrote
}

// begin writes the header.
func begin(logs *Logs, file *os.File) (*log, error) {
	if _, err := file.WriteString(gzipHeader); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	l := &log{logs: logs, file: file}
	l.timer = time.AfterFunc(time.Hour, l.due)
	l.timer.Stop()
	return l, nil
}

// Write implements io.Writer. It may return the error of text that was written before.
func (l *log) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, os.ErrClosed
	}
	if l.err != nil {
		return 0, l.err
	}
	l.text = append(l.text, data...)
	l.size += int64(len(data))
	l.sum = crc32.Update(l.sum, crc32.IEEETable, data)
	if len(l.text) >= chunkBytes {
		l.err = l.flush(false)
		return len(data), l.err
	}
	if !l.waiting {
		l.waiting = true
		l.timer.Reset(chunkAfter)
	}
	return len(data), nil
}

// due writes the text when it has waited long enough.
func (l *log) due() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = false
	if len(l.text) > 0 && !l.closed && l.err == nil {
		l.err = l.flush(false)
	}
}

// flush writes the waiting text.
func (l *log) flush(last bool) error {
	level := flate.BestCompression
	if l.size > bestBytes {
		level = flate.DefaultCompression
	}
	var piece piece
	if err := l.logs.zips.deflate(&piece, l.text, level, last); err != nil {
		return fmt.Errorf("compress the log %s: %w", l.file.Name(), err)
	}
	if last {
		piece = binary.LittleEndian.AppendUint32(piece, l.sum)
		piece = binary.LittleEndian.AppendUint32(piece, uint32(l.size)) //nolint:gosec // modulo 2^32 (RFC 1952)
	}
	l.text = l.text[:0]
	if cap(l.text) > 2*chunkBytes {
		l.text = nil
	}
	if _, err := l.file.Write(piece); err != nil {
		return fmt.Errorf("write the log: %w", err)
	}
	return nil
}

// piece is compressed text.
type piece []byte

func (p *piece) Write(data []byte) (int, error) {
	*p = append(*p, data...)
	return len(data), nil
}

// Close writes the remaining text and ends the file. Closing twice is harmless.
func (l *log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.timer.Stop()
	err := l.err
	if err == nil {
		err = l.flush(true)
	}
	return errors.Join(err, l.file.Close())
}
