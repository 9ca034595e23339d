package transfer

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/command"
)

// Download unpacks what a command has left in its copy of .digdag/tmp over that of a project. Anything else in the archive is
// passed over, as the machine that made it is not trusted with the project. A missing archive is a trowel.ErrNotFound.
func Download(ctx context.Context, store blob.Store, key, project string) (err error) {
	from, err := store.Open(ctx, key, 0, -1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	return archive.Unpack(ctx, from, project, archive.UnpackOptions{Below: TempDir})
}

// Fetch downloads the files of a command that has ended. A command that failed may have been ended before it could upload
// them; for one that succeeded they must be there. retry reports that the store may answer later.
func Fetch(ctx context.Context, store blob.Store, key, project string, exit int) (retry bool, err error) {
	err = Download(ctx, store, key, project)
	switch {
	case err == nil || errors.Is(err, trowel.ErrNotFound) && exit != 0:
		return false, nil
	case errors.Is(err, trowel.ErrNotFound):
		return false, &command.Error{
			Kind: "runtime", Err: err,
			Message: "The command has ended, but its files did not come back: the machine could not upload " + key +
				" (does it reach the storage, and was the URL still valid, see direct_upload_expiration?)",
		}
	default:
		return errors.Is(err, trowel.ErrUnavailable) || errors.Is(err, trowel.ErrInvalid), err
	}
}
