package server

import (
	"encoding/hex"
	"errors"
	"io"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
)

// Archives keep the files of revisions by their type.
type Archives struct {
	Stores map[string]blob.Store
	// Direct has the types whose archives may be fetched from their store itself.
	Direct map[string]bool
}

// Answer answers with an archive, or with its address where its store gives one.
func (a *Archives) Answer(c *call, wanted *trowel.Archive) (any, error) {
	store := a.Stores[wanted.Type]
	if store == nil {
		return nil, Errorf(http.StatusNotFound, "Archive is not stored")
	}
	if a.Direct[wanted.Type] && c.query.Get("direct_download") != "false" {
		if url, err := store.SignedGet(c.ctx(), wanted.Key); err == nil {
			return elsewhere{url}, nil
		}
	}
	return file{
		contentType: gzipType, sizeBytes: wanted.SizeBytes, etag: `"` + hex.EncodeToString(wanted.MD5) + `"`,
		open: func() (io.ReadCloser, error) {
			content, err := store.Open(c.ctx(), wanted.Key, 0, -1)
			if errors.Is(err, trowel.ErrNotFound) {
				return nil, Errorf(http.StatusNotFound, "Archive file not found").Because(err)
			}
			return content, err
		},
	}, nil
}
