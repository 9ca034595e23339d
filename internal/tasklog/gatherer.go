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
	// liveAfter is how long output waits for more, from the first on: with the transaction it is there for
	// followers within half a second.
	liveAfter = 400 * time.Millisecond
	// retryAfter is the pause after output that could not be stored.
	retryAfter = time.Second
	// defaultMaxWaiting is GathererOptions.MaxWaitingBytes where none is given.
	defaultMaxWaiting = 16 << 20
	// maxInsert is how many compressed bytes are stored in a transaction.
	maxInsert = 2 << 20
)

// Insert stores pieces of logs. One that is there already is left as it is.
type Insert func(ctx context.Context, chunks []trowel.LogChunk) error

// Into is the Insert of a database.
func Into(database Database) Insert {
	return func(ctx context.Context, chunks []trowel.LogChunk) error {
		return database.Update(ctx, func(tx trowel.Tx) error { return tx.InsertLogChunks(ctx, chunks) })
	}
}

// GathererOptions are what a Gatherer works with. Everything without a remark is required.
type GathererOptions struct {
	// Insert stores pieces. If it is nil nothing is kept.
	Insert Insert
	Agent  string // who runs the tries, as <pid>@<host>; stands in names
	Level  slog.Level
	// SplitBytes is how much text a file has before another one is begun; zero is any amount.
	SplitBytes int64
	// MaxWaitingBytes is how many compressed bytes may wait to be stored; tasks that print more wait, too. Zero is 16 MiB.
	MaxWaitingBytes int
	// Mask wraps what takes the output of a try and hides secrets; its Close writes what it held back.
	// Nil hides nothing.
	Mask func(to io.Writer) io.WriteCloser
	// Large hears of each file that has got so many bytes in the database, once more each time; nil is
	// not called. It does not block.
	Large func(attempt trowel.AttemptID, file string)
	Now   func() time.Time
	// Logger hears of what cannot be stored.
	Logger *slog.Logger
}

// Gatherer keeps the logs of many tries that run at the same time. What they print is stored piece by
// piece while they run, that of all tries together in one transaction; the rest goes with the report of
// the try. It is safe for concurrent use.
type Gatherer struct {
	opts GathererOptions
	zips compressors
	wake wait.Signal // set when a Writer has got something to store

	mu      sync.Mutex
	room    sync.Cond        // waits for waiting to become smaller
	dirty   map[*Writer]bool // have text or pieces to store
	waiting int              // compressed bytes of all pieces that are not stored
	stopped bool
	last    time.Time // instant in the last name
}

// NewGatherer returns a Gatherer. Run must be running for output to be stored before the end of a try.
func NewGatherer(opts GathererOptions) *Gatherer {
	opts.MaxWaitingBytes = cmp.Or(opts.MaxWaitingBytes, defaultMaxWaiting)
	g := &Gatherer{opts: opts, zips: newCompressors(), wake: wait.NewSignal(), dirty: map[*Writer]bool{}}
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

// name is that of a new file. Clocks may stand still: no instant is given out twice.
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

// Run stores live output until ctx ends. It is woken by the first output after a pause, waits for
// more, and then stores what all tries have, in a few transactions at most. Output that could not be
// stored is tried again, or goes with the report of its try. If it dies, that is lost which was not
// stored.
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

// stop lets those go who wait for room: nothing more is stored here.
func (g *Gatherer) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	g.room.Broadcast()
}

// changed says that a Writer has something to store.
func (g *Gatherer) changed(w *Writer) {
	g.mu.Lock()
	first := len(g.dirty) == 0
	g.dirty[w] = true
	g.mu.Unlock()
	if first {
		g.wake.Set()
	}
}

// forget says that a Writer is closed, and what of its pieces had waited.
func (g *Gatherer) forget(w *Writer, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.dirty, w)
	g.waiting -= waiting
	g.room.Broadcast()
}

// wait returns when there is room for more pieces.
func (g *Gatherer) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.waiting > g.opts.MaxWaitingBytes && !g.stopped {
		g.room.Wait()
	}
}

// count adds to the bytes that wait, which may be fewer than before.
func (g *Gatherer) count(bytes int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting += bytes
	if bytes < 0 {
		g.room.Broadcast()
	}
}

// store stores what all Writers have by now.
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

// batch is pieces for one transaction.
type batch struct {
	writers []*Writer
	counts  []int // pieces of each
	chunks  []trowel.LogChunk
	bytes   int
}

func (b *batch) add(w *Writer) error {
	chunks, err := w.pieces()
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

// insertEach stores what each Writer has by itself. Output of an attempt that was deleted meanwhile can
// never be stored; it must not keep that of others from it.
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
