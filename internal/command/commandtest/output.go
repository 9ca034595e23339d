package commandtest

import (
	"bytes"
	"strings"
	"sync"
)

// Output is an io.Writer that keeps what is written and can be waited for.
type Output struct {
	mu      sync.Mutex
	data    bytes.Buffer
	waiting map[string]chan struct{}
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.data.Write(p)
	for text, done := range o.waiting {
		if strings.Contains(o.data.String(), text) {
			close(done)
			delete(o.waiting, text)
		}
	}
	return len(p), nil
}

// String returns what was written.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.String()
}

// Has returns a channel that is closed once a text was written.
func (o *Output) Has(text string) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	done := make(chan struct{})
	if strings.Contains(o.data.String(), text) {
		close(done)
		return done
	}
	if o.waiting == nil {
		o.waiting = map[string]chan struct{}{}
	}
	o.waiting[text] = done
	return done
}
