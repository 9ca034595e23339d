package revision

import (
	"context"
	"slices"
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/server/download"
)

// maxKnown is how many files the listings in memory have together. One takes about 200 bytes.
const maxKnown = 100_000

// listings remembers what is in the archives that were looked at last.
type listings struct {
	mu   sync.Mutex
	list []*listing // the one that was used last comes last
}

type listing struct {
	archive trowel.Archive
	files   []archive.Listed
}

// read returns the files of an archive.
func (l *listings) read(ctx context.Context, archives *download.Archives, wanted *trowel.Archive) ([]archive.Listed, error) {
	if known := l.find(wanted); known != nil {
		return known, nil
	}
	packed, err := archives.Open(ctx, wanted)
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }() // only read from
	files, err := archive.List(ctx, packed, archive.Limits{})
	if err != nil {
		return nil, err
	}
	l.keep(&listing{*wanted, files})
	return files, nil
}

// find returns the files of an archive that was looked at before; nil for another.
func (l *listings) find(wanted *trowel.Archive) []archive.Listed {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.list, func(known *listing) bool {
		return known.archive.Type == wanted.Type && known.archive.Key == wanted.Key && slices.Equal(known.archive.MD5, wanted.MD5)
	})
	if at < 0 {
		return nil
	}
	known := l.list[at]
	l.list = append(slices.Delete(l.list, at, at+1), known)
	return known.files
}

// keep remembers a listing, and forgets those that were not used for longest.
func (l *listings) keep(fresh *listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, fresh)
	sum := 0
	for i, known := range slices.Backward(l.list) {
		if sum += len(known.files) + 1; sum > maxKnown {
			l.list = slices.Clone(l.list[i+1:])
			return
		}
	}
}
