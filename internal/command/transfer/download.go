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
// passed over, as the machine that made it is not trusted with the project. For the same reason mostBytes limits the files; zero
// is the limit of other archives. A missing archive is a trowel.ErrNotFound.
func Download(ctx context.Context, store blob.Store, key, project string, mostBytes int64) (err error) {
	from, err := store.Open(ctx, key, 0, -1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	return archive.Unpack(ctx, from, project, archive.UnpackOptions{Below: TempDir, Limits: archive.Limits{MaxBytes: mostBytes}})
}

// Left is what a command that has ended has left in a store.
type Left struct {
	Key       string
	ExitCode  int
	MostBytes int64 // as of Download
	Failed    int   // looks in a row that have failed
}

// mostInvalid is how often an archive is read again that is not valid: the download may have broken off.
const mostInvalid = 3

// Fetch downloads the files of a command that has ended. A command that failed may have been ended before it could upload
// them; for one that succeeded they must be there. retry reports that the store may answer later.
func Fetch(ctx context.Context, store blob.Store, left *Left, project string) (retry bool, err error) {
	err = Download(ctx, store, left.Key, project, left.MostBytes)
	switch {
	case err == nil || errors.Is(err, trowel.ErrNotFound) && left.ExitCode != 0:
		return false, nil
	case errors.Is(err, trowel.ErrNotFound):
		return false, &command.Error{
			Kind: "runtime", Err: err,
			Message: "The command has ended, but its files did not come back: the machine could not upload " + left.Key +
				" (does it reach the storage, and was the URL still valid, see direct_upload_expiration?)",
		}
	default:
		return errors.Is(err, trowel.ErrUnavailable) || errors.Is(err, trowel.ErrInvalid) && left.Failed < mostInvalid, err
	}
}
