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
	// packEvery is how often ended attempts are looked for.
	packEvery = 10 * time.Second
	// packAttempts is how many attempts are packed between two looks at what else there is.
	packAttempts = 100
	// ownBlobBytes is the compressed size from which on a file has a blob of its own, so that it can be
	// fetched without us.
	ownBlobBytes = 1 << 20
	// maxLarge is how many large files of running attempts may wait for their turn; more are told again
	// when they have grown.
	maxLarge = 1000
	// uploads is how many files with blobs of their own are packed side by side.
	uploads = 8
)

// PackerOptions are what a Packer works with.
type PackerOptions struct {
	Database Database
	Blobs    blob.Store
	Logger   *slog.Logger
	// Alone gives each file a blob of its own, so that it can be fetched without us.
	Alone bool
}

// Packer moves logs from the database into blobs: those of an ended attempt into one, but large files, or
// all if they are to be alone, into blobs of their own, and what large files of running attempts have by now.
//
// A blob is named by what is in it. So a Packer that died between an upload and the change of the
// rows does the same again under the same name, and two of them do not disturb each other. A blob that
// nobody refers to, as more was packed the second time, goes with the logs of its attempt.
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

// Large says that a file of a running attempt takes much room in the database. It does not block.
func (p *Packer) Large(attempt trowel.AttemptID, file string) {
	select {
	case p.large <- largeFile{attempt, file}:
	default: // it will be told again
	}
}

// AttemptsEnded says that there are ended attempts. Files that are to be alone are packed at once then: people
// ask for their addresses. It does not block.
func (p *Packer) AttemptsEnded() {
	if !p.opts.Alone {
		return
	}
	select {
	case p.ended <- struct{}{}:
	default: // it knows
	}
}

// Run packs until ctx ends. It is woken by large files, and looks for ended attempts every 10 seconds.
// What fails is tried again then. If it dies half-way, that is harmless.
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

// PackEnded packs the logs of all ended attempts that have some in the database. One that cannot be
// packed does not keep the others from it.
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

// errorList gathers the errors of several goroutines.
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

// packAlone moves all pieces of a file into a blob of its own.
func (p *Packer) packAlone(ctx context.Context, reader *Reader, attempt trowel.AttemptID, name string, chunks []trowel.LogChunk) error {
	alone := &pack{packer: p, reader: reader, attempt: attempt, kind: ownBlob}
	alone.add(name, chunks)
	if err := alone.run(ctx); err != nil {
		return err
	}
	return p.forget(ctx, chunks)
}

// PackFile moves what a file of a running attempt has in the database into a blob.
func (p *Packer) PackFile(ctx context.Context, attempt trowel.AttemptID, file string) error {
	reader := NewReader(p.opts.Database, p.opts.Blobs, false)
	f, err := reader.find(ctx, attempt, file)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil // its attempt was deleted
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

// forget deletes the blobs that pieces were in before they were packed anew.
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

// allChunks returns the pieces of a file without their data.
func (r *Reader) allChunks(ctx context.Context, attempt trowel.AttemptID, f *trowel.LogFile) ([]trowel.LogChunk, error) {
	return r.chunks(ctx, attempt, f.Name, 0, f.Chunks, false)
}

func anyInline(chunks []trowel.LogChunk) bool { return len(inline(chunks)) > 0 }

// inline are the pieces whose data are in the database.
func inline(chunks []trowel.LogChunk) []trowel.LogChunk {
	var found []trowel.LogChunk
	for i := range chunks {
		if chunks[i].BlobKey == "" {
			found = append(found, chunks[i])
		}
	}
	return found
}

// pack is what goes into one blob.
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

// Kinds of blobs stand in their keys: those with one file only can be fetched without us.
const (
	ownBlob    = "file-"
	sharedBlob = "all-"
)

// isOwn reports whether a blob has one file only.
func isOwn(key string) bool { return strings.HasPrefix(path.Base(key), ownBlob) }

// prefix begins the keys of all blobs with logs of an attempt.
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

// packed reads all pieces of a pack in a row.
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

// Delete deletes all logs of an attempt. blobs is where logs are packed to; nil without. Calling it
// again after a failure goes on where it was.
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
	for _, key := range keys { // packed in between
		if err := blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// deletePage is how many keys are listed at a time.
const deletePage = 1000

// deleteBlobs deletes all blobs of an attempt, those too that no row refers to.
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
