package daemon

import (
	"context"
	"fmt"
	"io"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/cloud"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/blob/file"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/server/health"
)

// storage is where a server keeps things: its database, and the stores of archives and packed logs. It remembers which of
// them could be written.
type storage struct {
	*process

	meters    meters
	store     trowel.Store
	exclusive bool          // no other process uses the database
	writes    health.Writes // results of writes to the database

	archives map[string]blob.Store // by archive type
	logs     blob.Store            // nil if logs stay in the database
	watched  []healthBlobs         // the stores outside of the database
}

// openBlobs opens the stores of archives and packed logs.
func (s *storage) openBlobs(ctx context.Context) (err error) {
	s.archives = map[string]blob.Store{config.StorageDatabase: blobdb.New(s.store)}
	if kind := s.settings.Archives.Type; kind != config.StorageDatabase {
		if s.archives[kind], err = s.openStore(ctx, "archives", &s.settings.Archives); err != nil {
			return fix.UseArchives.Failed(fmt.Errorf("open the store of archives: %w", err))
		}
	}
	if logs := &s.settings.Logs; logs.Type != config.StorageNone && logs.Type != config.StorageDatabase {
		if s.logs, err = s.openStore(ctx, "task_logs", &logs.Storage); err != nil {
			return fix.UseLogs.Failed(fmt.Errorf("open the store of logs: %w", err))
		}
	}
	return nil
}

// openStore opens a store outside of the database, which is a part of the server's health.
func (s *storage) openStore(ctx context.Context, part string, settings *config.Storage) (blob.Store, error) {
	store, err := s.openFolderOrBucket(ctx, settings)
	if err != nil {
		return nil, err
	}
	watched := healthBlobs{store, part, settings.Type != config.StorageFile, &health.Writes{}, s.opts.Now}
	s.watched = append(s.watched, watched)
	return watched, nil
}

func (s *storage) openFolderOrBucket(ctx context.Context, settings *config.Storage) (blob.Store, error) {
	if settings.Type == config.StorageFile {
		return file.New(s.opts.path(settings.Folder), s.opts.Now())
	}
	b := &settings.Bucket
	return cloud.Open(ctx, cloud.Options{
		Provider: settings.Type, Bucket: b.Name, Prefix: b.Path, Endpoint: b.Endpoint, PathStyle: b.PathStyle, Region: b.Region,
		AccessKeyID: b.AccessKeyID, SecretAccessKey: b.SecretAccessKey, CredentialsFile: b.CredentialsFile, CredentialsJSON: b.CredentialsJSON,
		Account: b.Account, AccountKey: b.AccountKey, GetExpires: b.DownloadExpiration, PutExpires: b.UploadExpiration,
	})
}

// fetchArchive opens the archive of a revision, wherever it was stored.
func (s *storage) fetchArchive(ctx context.Context, a trowel.Archive) (io.ReadCloser, error) {
	store := s.archives[a.Type]
	if store == nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("the revision's archive is in a store of type %q, which is not configured", a.Type),
			Hint: "set archive.type and archive." + a.Type + ".*",
		}
	}
	return store.Open(ctx, a.Key, 0, -1)
}

// health returns the parts of /api/health. id identifies this server in what probes write.
func (s *storage) health(id string) *health.Monitor {
	parts := []health.Part{{Name: "database", Check: func(ctx context.Context) error { return s.checkDatabase(ctx, id) }}}
	for _, blobs := range s.watched {
		parts = append(parts, health.Part{Name: blobs.part, Check: func(ctx context.Context) error { return blobs.check(ctx, id) }})
	}
	return health.New(parts...)
}
