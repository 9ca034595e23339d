package tasklog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
)

// When logs are packed.
const (
	// packEvery is the interval between looks for ended attempts.
	packEvery = 10 * time.Second
	// packAttempts is how many attempts are packed before the Packer looks for other work.
	packAttempts = 100
	// ownBlobBytes is the compressed size from which a file gets its own blob, so that it can be downloaded directly.
	ownBlobBytes = 1 << 20
	// maxLarge is how many large files of running attempts may wait; Large is called again for others when they have
	// grown.
	maxLarge = 1000
	// uploads is how many files with their own blobs are packed concurrently.
	uploads = 8
)

// PackerOptions are the dependencies of a Packer.
type PackerOptions struct {
	Database Database
	Blobs    blob.Store
	Logger   *slog.Logger
	// Alone gives each file its own blob, so that it can be downloaded directly.
	Alone bool
}

// Packer moves logs from the database into blobs. The logs of an ended attempt go into one blob, but large files (or
// all, with Alone) get their own. Large files of running attempts are moved as far as they are written.
//
// The name of a blob is a hash of the list of its chunks. So a Packer that died between an upload and the change of the rows
// repeats the same upload under the same name, and two Packers do not disturb each other. If more was packed the second
// time, nothing refers to the first blob; it is deleted with the logs of its attempt.
type Packer struct {
	opts  PackerOptions
	large chan largeFile
	ended chan struct{}
}

type largeFile struct {
	attempt trowel.AttemptID
	file    string
}

// NewPacker returns a Packer.
func NewPacker(opts PackerOptions) *Packer {
	return &Packer{opts: opts, large: make(chan largeFile, maxLarge), ended: make(chan struct{}, 1)}
}

// Large says that a file of a running attempt takes much space in the database. It does not block.
func (p *Packer) Large(attempt trowel.AttemptID, file string) {
	select {
	case p.large <- largeFile{attempt, file}:
	default: // Large will be called again
	}
}

// AttemptsEnded says that attempts have ended. With Alone their files are packed at once, because people ask for their
// URLs. It does not block.
func (p *Packer) AttemptsEnded() {
	if !p.opts.Alone {
		return
	}
	select {
	case p.ended <- struct{}{}:
	default: // Run knows already
	}
}

// Run packs until ctx ends. Large files wake it, and every 10 seconds it looks for ended attempts. What fails is tried
// again then. Dying half-way is harmless.
func (p *Packer) Run(ctx context.Context) error {
	ticker := time.NewTicker(packEvery)
	defer ticker.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case f := <-p.large:
			err = p.PackFile(ctx, f.attempt, f.file)
		case <-p.ended:
			err = p.PackEnded(ctx)
		case <-ticker.C:
			err = p.PackEnded(ctx)
		}
		if err != nil && ctx.Err() == nil {
			p.opts.Logger.Error("logs of tasks cannot be packed now", slog.Any("error", err))
		}
	}
}

// PackEnded packs the logs of all ended attempts that have logs in the database. If one attempt fails, the others are
// packed nevertheless.
func (p *Packer) PackEnded(ctx context.Context) error {
	for {
		var attempts []trowel.AttemptID
		err := p.opts.Database.View(ctx, func(tx trowel.Tx) error {
			var err error
			attempts, err = tx.ListUnpackedLogs(ctx, packAttempts)
			return err
		})
		if err != nil {
			return err
		}
		packed := 0
		for _, id := range attempts {
			if errPack := p.PackAttempt(ctx, id); errPack != nil {
				err = errors.Join(err, fmt.Errorf("pack the logs of attempt %d: %w", id, errPack))
				continue
			}
			packed++
		}
		if len(attempts) < packAttempts || packed == 0 || ctx.Err() != nil {
			return err
		}
	}
}

// PackAttempt packs the logs of one ended attempt.
func (p *Packer) PackAttempt(ctx context.Context, attempt trowel.AttemptID) error {
	reader := NewReader(p.opts.Database, p.opts.Blobs, false)
	files, err := reader.files(ctx, attempt, "")
	if err != nil {
		return err
	}
	together := &pack{packer: p, reader: reader, attempt: attempt, kind: sharedBlob}
	var errs errorList
	var running sync.WaitGroup
	room := make(chan struct{}, uploads)
	for i := range files {
		f := &files[i]
		chunks, err := reader.allChunks(ctx, attempt, f)
		if err != nil {
			errs.add(err)
			break
		}
		switch {
		case !anyInline(chunks):
		case p.opts.Alone || f.DataBytes >= ownBlobBytes:
			room <- struct{}{}
			running.Go(func() {
				errs.add(p.packAlone(ctx, reader, attempt, f.Name, chunks))
				<-room
			})
		default:
			together.add(f.Name, inline(chunks))
		}
	}
	running.Wait()
	if err := errs.all(); err != nil {
		return err
	}
	return together.run(ctx)
}

// errorList collects the errors of several goroutines.
type errorList struct {
	mu   sync.Mutex
	errs []error
}

func (l *errorList) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, err)
}

func (l *errorList) all() error { return errors.Join(l.errs...) }

// packAlone moves all chunks of a file into its own blob.
func (p *Packer) packAlone(ctx context.Context, reader *Reader, attempt trowel.AttemptID, name string, chunks []trowel.LogChunk) error {
	alone := &pack{packer: p, reader: reader, attempt: attempt, kind: ownBlob}
	alone.add(name, chunks)
	if err := alone.run(ctx); err != nil {
		return err
	}
	return p.forget(ctx, chunks)
}

// PackFile moves the chunks of a running attempt's file into a blob, as far as they exist.
func (p *Packer) PackFile(ctx context.Context, attempt trowel.AttemptID, file string) error {
	reader := NewReader(p.opts.Database, p.opts.Blobs, false)
	f, err := reader.find(ctx, attempt, file)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil // the attempt was deleted
	}
	if err != nil {
		return err
	}
	chunks, err := reader.allChunks(ctx, attempt, f)
	if err != nil {
		return err
	}
	some := &pack{packer: p, reader: reader, attempt: attempt, kind: ownBlob}
	some.add(file, inline(chunks))
	return some.run(ctx)
}

// forget deletes the blobs that chunks were in before they were packed again.
func (p *Packer) forget(ctx context.Context, before []trowel.LogChunk) error {
	done := map[string]bool{"": true}
	for i := range before {
		key := before[i].BlobKey
		if done[key] {
			continue
		}
		done[key] = true
		if err := p.opts.Blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// allChunks returns the chunks of a file without their data.
func (r *Reader) allChunks(ctx context.Context, attempt trowel.AttemptID, f *trowel.LogFile) ([]trowel.LogChunk, error) {
	return r.chunks(ctx, attempt, f.Name, 0, f.Chunks, false)
}

func anyInline(chunks []trowel.LogChunk) bool { return len(inline(chunks)) > 0 }

// inline are the chunks whose data are in the database.
func inline(chunks []trowel.LogChunk) []trowel.LogChunk {
	var found []trowel.LogChunk
	for i := range chunks {
		if chunks[i].BlobKey == "" {
			found = append(found, chunks[i])
		}
	}
	return found
}

// pack is the content of one blob.
type pack struct {
	packer  *Packer
	reader  *Reader
	attempt trowel.AttemptID
	kind    string            // ownBlob or sharedBlob
	chunks  []trowel.LogChunk // without data
	bytes   int64
}

func (p *pack) add(file string, chunks []trowel.LogChunk) {
	for i := range chunks {
		c := chunks[i]
		c.AttemptID, c.File = p.attempt, file
		p.chunks = append(p.chunks, c)
		p.bytes += c.DataBytes
	}
}

// Kinds of blobs, which are part of their keys. Blobs with one file can be downloaded directly.
const (
	ownBlob    = "file-"
	sharedBlob = "all-"
)

// isOwn reports whether a blob has only one file.
func isOwn(key string) bool { return strings.HasPrefix(path.Base(key), ownBlob) }

// prefix is the start of the keys of all blobs with logs of an attempt.
func prefix(attempt trowel.AttemptID) string {
	return "logs/" + strconv.FormatInt(int64(attempt), 10) + "/"
}

// run uploads the blob and then changes the rows.
func (p *pack) run(ctx context.Context) error {
	if len(p.chunks) == 0 {
		return nil
	}
	names := sha256.New()
	for i := range p.chunks {
		names.Write(fmt.Appendf(nil, "%s\x00%d\x00%d\n", p.chunks[i].File, p.chunks[i].Seq, p.chunks[i].DataBytes)) // never fails
	}
	key := prefix(p.attempt) + p.kind + hex.EncodeToString(names.Sum(nil)[:16]) + ".gz"
	if err := p.packer.opts.Blobs.Put(ctx, key, &packed{ctx: ctx, pack: p}, p.bytes); err != nil {
		return err
	}
	moved := make([]trowel.LogChunk, len(p.chunks))
	offset := int64(0)
	for i, c := range p.chunks {
		c.BlobKey, c.BlobOffset = key, offset
		offset += c.DataBytes
		moved[i] = c
	}
	return p.packer.opts.Database.Update(ctx, func(tx trowel.Tx) error { return tx.MoveLogChunks(ctx, moved) })
}

// packed reads all chunks of a pack one after the other.
type packed struct {
	ctx  context.Context //nolint:containedctx // of one upload
	pack *pack
	next int
	now  *content
}

// Read implements io.Reader.
func (p *packed) Read(data []byte) (int, error) {
	for {
		if p.now == nil {
			if p.next == len(p.pack.chunks) {
				return 0, io.EOF
			}
			first := p.pack.chunks[p.next]
			count := 1
			for p.next+count < len(p.pack.chunks) && p.pack.chunks[p.next+count].File == first.File && p.pack.chunks[p.next+count].Seq == first.Seq+count {
				count++
			}
			p.next += count
			p.now = p.pack.reader.open(p.ctx, p.pack.attempt, first.File, first.Seq, count)
		}
		n, err := p.now.Read(data)
		if errors.Is(err, io.EOF) {
			err = p.now.Close()
			p.now = nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// Delete deletes all logs of an attempt. blobs are the packed logs; it may be nil. After a failure, calling it again
// continues.
func Delete(ctx context.Context, database Database, blobs blob.Store, attempt trowel.AttemptID) error {
	if blobs != nil {
		if err := deleteBlobs(ctx, blobs, attempt); err != nil {
			return err
		}
	}
	var keys []string
	err := database.Update(ctx, func(tx trowel.Tx) error {
		var err error
		keys, err = tx.DeleteLogs(ctx, attempt)
		return err
	})
	if err != nil || blobs == nil {
		return err
	}
	for _, key := range keys { // packed meanwhile
		if err := blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// deletePage is how many keys are listed at once.
const deletePage = 1000

// deleteBlobs deletes all blobs of an attempt, also those that no row refers to.
func deleteBlobs(ctx context.Context, blobs blob.Store, attempt trowel.AttemptID) error {
	after := ""
	for {
		keys, err := blobs.List(ctx, prefix(attempt), after, deletePage)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := blobs.Delete(ctx, key); err != nil {
				return err
			}
			after = key
		}
		if len(keys) < deletePage {
			return nil
		}
	}
}
