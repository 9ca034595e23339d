package download

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Archives are the stores of archives by their type.
type Archives struct {
	Stores map[string]blob.Store
	// Direct has the types whose archives clients may fetch from the store directly.
	Direct map[string]bool
}

// QueryDirect is the parameter by which callers of Answer ask for the bytes themselves.
func QueryDirect() rest.Parameter {
	return rest.QueryFlag("direct_download", "false to get it from this server in any case.")
}

// Answer returns the answer with an archive, or with its address if clients may fetch it directly.
func (a *Archives) Answer(c *rest.Call, wanted *trowel.Archive) (any, error) {
	store, err := a.store(wanted)
	if err != nil {
		return nil, err
	}
	if a.Direct[wanted.Type] && c.Query.Get("direct_download") != "false" {
		if url, err := store.SignedGet(c.Ctx(), wanted.Key); err == nil {
			return rest.Redirect{URL: url}, nil
		}
	}
	return rest.File{
		ContentType: rest.GzipType, SizeBytes: wanted.SizeBytes, ETag: `"` + hex.EncodeToString(wanted.MD5) + `"`,
		Open: func() (io.ReadCloser, error) { return a.Open(c.Ctx(), wanted) },
	}, nil
}

// Open opens an archive.
func (a *Archives) Open(ctx context.Context, wanted *trowel.Archive) (io.ReadCloser, error) {
	store, err := a.store(wanted)
	if err != nil {
		return nil, err
	}
	content, err := store.Open(ctx, wanted.Key, 0, -1)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil, rest.Errorf(http.StatusNotFound, "Archive file not found").Because(err)
	}
	return content, err
}

func (a *Archives) store(wanted *trowel.Archive) (blob.Store, error) {
	if store := a.Stores[wanted.Type]; store != nil {
		return store, nil
	}
	return nil, rest.Errorf(http.StatusNotFound, "Archive is not stored")
}
