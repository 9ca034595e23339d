package tasklog

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/wait"
)

// When live output is stored.
const (
	// liveAfter is how long output waits for more, from its first byte. Together with the transaction, followers see it
	// within half a second.
	liveAfter = 400 * time.Millisecond
	// retryAfter is the delay after output could not be stored.
	retryAfter = time.Second
	// defaultMaxWaiting is the default of GathererOptions.MaxWaitingBytes.
	defaultMaxWaiting = 16 << 20
	// maxInsert is the most compressed bytes stored in a transaction.
	maxInsert = 2 << 20
)

// Insert stores chunks of logs. Chunks that exist already are skipped.
type Insert func(ctx context.Context, chunks []trowel.LogChunk) error

// Into is the Insert of a database.
func Into(database Database) Insert {
	return func(ctx context.Context, chunks []trowel.LogChunk) error {
		return database.Update(ctx, func(tx trowel.Tx) error { return tx.InsertLogChunks(ctx, chunks) })
	}
}

// GathererOptions are the dependencies of a Gatherer. Everything is required unless a comment says otherwise.
type GathererOptions struct {
	// Insert stores chunks. If it is nil, nothing is kept.
	Insert Insert
	Agent  string // who runs the tries, as <pid>@<host>; part of file names
	Level  slog.Level
	// SplitBytes is how much text a file gets before the next one begins; zero for unlimited.
	SplitBytes int64
	// MaxWaitingBytes is how many compressed bytes may wait to be stored; tasks that print more are blocked. Zero is 16
	// MiB.
	MaxWaitingBytes int
	// Mask wraps the writer of a try's output and hides secrets; its Close writes what it held back. Nil hides nothing.
	Mask func(to io.Writer) io.WriteCloser
	// Large is called for each file that has got so many bytes in the database, and again each time that it gets as many
	// more. It must not block, and may be nil.
	Large func(attempt trowel.AttemptID, file string)
	Now   func() time.Time
	// Logger gets errors of storing.
	Logger *slog.Logger
}

// Gatherer keeps the logs of many tries that run at the same time. While they run, it stores their output in chunks,
// those of all tries in one transaction; the last chunks go with the report of the try. It is safe for concurrent use.
type Gatherer struct {
	opts   GathererOptions
	zips   compressors
	errors *errorFinder
	wake   wait.Signal // a Writer has something to store

	mu      sync.Mutex
	room    sync.Cond        // signaled when waiting gets smaller
	dirty   map[*Writer]bool // have text or chunks to store
	waiting int              // compressed bytes of all chunks that are not stored
	stopped bool
	last    time.Time // the instant in the last name
}

// NewGatherer returns a Gatherer. Call Run, or output is stored only at the end of a try.
func NewGatherer(opts GathererOptions) *Gatherer {
	opts.MaxWaitingBytes = cmp.Or(opts.MaxWaitingBytes, defaultMaxWaiting)
	g := &Gatherer{opts: opts, zips: newCompressors(), errors: newErrorFinder(), wake: wait.NewSignal(), dirty: map[*Writer]bool{}}
	g.room.L = &g.mu
	return g
}

// Open begins the log of a try.
func (g *Gatherer) Open(lease *trowel.Lease) *Writer {
	w := &Writer{gatherer: g, lease: lease}
	w.file = g.name(lease)
	if g.opts.Mask != nil {
		w.mask = g.opts.Mask(raw{w})
	}
	return w
}

// name is the name of a new file. Each has another instant, even if the clock stands still.
func (g *Gatherer) name(lease *trowel.Lease) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.opts.Now()
	if !at.After(g.last) {
		at = g.last.Add(time.Nanosecond)
	}
	g.last = at
	return fileName(lease, g.opts.Agent, at, nameLimit)
}

// Run stores live output until ctx ends. The first output wakes it; it waits for more, and then stores the output of all
// tries in a few transactions. Output that could not be stored is tried again, or goes with the report of its try. If
// Run dies, output that was not stored is lost.
func (g *Gatherer) Run(ctx context.Context) error {
	defer g.stop()
	for {
		select {
		case <-g.wake:
		case <-ctx.Done():
			return nil
		}
		if wait.Sleep(ctx, liveAfter) != nil {
			return nil
		}
		if err := g.store(ctx); err != nil && ctx.Err() == nil {
			g.opts.Logger.Error("output of tasks cannot be stored now", slog.Any("error", err))
			if wait.Sleep(ctx, retryAfter) != nil {
				return nil
			}
			g.wake.Set()
		}
	}
}

// stop releases all who wait for room, because nothing more will be stored.
func (g *Gatherer) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	g.room.Broadcast()
}

// changed notes that a Writer has something to store.
func (g *Gatherer) changed(w *Writer) {
	g.mu.Lock()
	first := len(g.dirty) == 0
	g.dirty[w] = true
	g.mu.Unlock()
	if first {
		g.wake.Set()
	}
}

// forget notes that a Writer is closed, and how many bytes of its chunks were waiting.
func (g *Gatherer) forget(w *Writer, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.dirty, w)
	g.waiting -= waiting
	g.room.Broadcast()
}

// wait returns when there is room for more chunks.
func (g *Gatherer) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.waiting > g.opts.MaxWaitingBytes && !g.stopped {
		g.room.Wait()
	}
}

// count adds to the waiting bytes; the number may be negative.
func (g *Gatherer) count(bytes int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting += bytes
	if bytes < 0 {
		g.room.Broadcast()
	}
}

// store stores the present output of all Writers.
func (g *Gatherer) store(ctx context.Context) error {
	g.mu.Lock()
	writers := g.dirty
	g.dirty = make(map[*Writer]bool, len(writers))
	g.mu.Unlock()
	var batch batch
	var failure error
	for w := range writers {
		if failure == nil {
			failure = batch.add(w)
		}
		if failure == nil && batch.bytes > maxInsert {
			failure = g.insert(ctx, &batch)
		}
		if failure != nil {
			g.changed(w)
		}
	}
	if failure == nil {
		failure = g.insert(ctx, &batch)
	}
	return failure
}

// batch is the chunks of one transaction.
type batch struct {
	writers []*Writer
	counts  []int // chunks of each Writer
	chunks  []trowel.LogChunk
	bytes   int
}

func (b *batch) add(w *Writer) error {
	chunks, err := w.unstored()
	if err != nil || len(chunks) == 0 {
		return err
	}
	b.writers = append(b.writers, w)
	b.counts = append(b.counts, len(chunks))
	b.chunks = append(b.chunks, chunks...)
	for i := range chunks {
		b.bytes += len(chunks[i].Data)
	}
	return nil
}

// insert stores a batch and empties it.
func (g *Gatherer) insert(ctx context.Context, b *batch) error {
	defer func() { *b = batch{} }()
	if len(b.chunks) == 0 {
		return nil
	}
	err := g.opts.Insert(ctx, b.chunks)
	if errors.Is(err, trowel.ErrConflict) {
		return g.insertEach(ctx, b)
	}
	for i, w := range b.writers {
		if err != nil {
			g.changed(w)
			continue
		}
		w.stored(b.counts[i])
	}
	return err
}

// insertEach stores the chunks of each Writer separately. Output of an attempt that was deleted can never be stored, and
// must not prevent that of others.
func (g *Gatherer) insertEach(ctx context.Context, b *batch) error {
	chunks := b.chunks
	var failure error
	for i, w := range b.writers {
		err := g.opts.Insert(ctx, chunks[:b.counts[i]])
		chunks = chunks[b.counts[i]:]
		switch {
		case err == nil:
			w.stored(b.counts[i])
		case errors.Is(err, trowel.ErrConflict):
			g.opts.Logger.Warn("output of a task is dropped, its attempt is gone", slog.Any("error", err))
			w.stored(b.counts[i])
		default:
			failure = err
			g.changed(w)
		}
	}
	return failure
}
