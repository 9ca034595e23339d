package secret

import (
	"errors"
	"io"
	"sync"
)

// Writer masks what is written to it. A secret may be split over any number of writes: what
// could be the beginning of one is held back until the next Write or Close. It is safe for concurrent
// use. All writes to one place should go through one Writer, or their order changes.
type Writer struct {
	mask *Mask
	to   io.Writer

	mu      sync.Mutex
	held    []byte // the beginning of what may be a secret
	covered int    // bytes at the beginning of held whose mask was written already
	clean   []byte // buffer for the output, reused by the next Write
}

// Writer returns a Writer to another one. Close it at the end, which does not close the other one.
func (m *Mask) Writer(to io.Writer) *Writer { return &Writer{mask: m, to: to} }

// WriteCloser returns a Writer that closes the other one when it is closed.
func (m *Mask) WriteCloser(to io.WriteCloser) io.WriteCloser {
	return &writeCloser{Writer: Writer{mask: m, to: to}, closer: to}
}

type writeCloser struct {
	Writer
	closer io.Closer
}

func (w *writeCloser) Close() error { return errors.Join(w.Writer.Close(), w.closer.Close()) }

// Write implements io.Writer. All of data counts as written unless the error says otherwise.
func (w *Writer) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 && w.covered == 0 && w.mask.forms.Load().plain(data) == len(data) {
		return w.to.Write(data)
	}
	w.held = append(w.held, data...)
	if err := w.flush(false); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Close writes what was held back. The Writer can be used again afterwards.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush(true)
}

// flush writes what is certain, or everything if last is set.
func (w *Writer) flush(last bool) error {
	forms, data := w.mask.forms.Load(), w.held
	w.clean = w.clean[:0]
	i, end := 0, w.covered // data[:end] belongs to secrets
	for ; i < len(data); i++ {
		if i >= end {
			n := forms.plain(data[i:])
			w.clean = append(w.clean, data[i:i+n]...)
			if i += n; i == len(data) {
				break
			}
		}
		if forms.byFirst[data[i]] != nil {
			size, open := forms.at(data[i:])
			if open && !last {
				break
			}
			if size > 0 && i >= end {
				w.clean = append(w.clean, mask...)
			}
			if size > 0 {
				end = max(end, i+size)
			}
		}
		if i >= end {
			w.clean = append(w.clean, data[i])
		}
	}
	w.held = append(w.held[:0], data[i:]...)
	w.covered = max(0, end-i)
	if len(w.clean) == 0 {
		return nil
	}
	_, err := w.to.Write(w.clean)
	return err
}
