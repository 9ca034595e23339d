package daemon

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/cloud"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/blob/file"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// openFiles opens the stores of archives and logs, and what keeps the files of tries.
func (p *serverProcess) openFiles(ctx context.Context) (err error) {
	if err := p.openBlobs(ctx); err != nil {
		return err
	}
	switch {
	case p.local != nil && p.settings.Agent.CommandUser != "":
		return refuseCommandUser()
	case p.runsTasks():
		if p.commandUser, err = findCommandUser(&p.settings.Agent); err != nil {
			return err
		}
	}
	if p.workspaces, err = archive.NewWorkspaces(archive.WorkspaceOptions{
		// A folder that belongs to this user, so that others cannot write to it or take its name.
		Dir: filepath.Join(p.tempDir(), fmt.Sprintf("trowel-workspaces-%d", os.Getuid())), Fetch: p.fetchArchive, Log: p.log,
		Passable: p.commandUser != nil, Abandoned: endAbandoned(p.log),
	}); err != nil {
		return fix.UseTemporary.Failed(fmt.Errorf("make a folder for the files of tasks: %w", err))
	}
	p.onClose(p.workspaces.Close)
	logs := &p.settings.Logs
	options := tasklog.GathererOptions{
		Insert: p.keepOutput, Agent: p.agentName(), Level: p.opts.LogLevel, SplitBytes: logs.SplitBytes,
		Now: p.opts.Now, Logger: p.log,
	}
	if logs.Type == config.StorageNone {
		options.Insert = nil
	}
	if p.logBlobs != nil {
		p.packer = tasklog.NewPacker(tasklog.PackerOptions{
			Database: p.store, Blobs: p.logBlobs, Logger: p.log, Alone: logs.Bucket.DirectDownload,
		})
		options.Large = p.packer.Large
	}
	if logs.MaskSecrets {
		p.mask = secret.NewMask(secret.OutputChars)
		options.Mask = func(to io.Writer) io.WriteCloser { return p.mask.Writer(to) }
	}
	p.gatherer = tasklog.NewGatherer(options)
	return nil
}

// openBlobs opens the stores of archives and packed logs.
func (p *serverProcess) openBlobs(ctx context.Context) (err error) {
	p.archives = map[string]blob.Store{config.StorageDatabase: blobdb.New(p.store)}
	if kind := p.settings.Archives.Type; kind != config.StorageDatabase {
		if p.archives[kind], err = p.openStorage(ctx, &p.settings.Archives); err != nil {
			return fix.UseArchives.Failed(fmt.Errorf("open the store of archives: %w", err))
		}
		p.archives[kind] = p.watchBlobs("archives", &p.settings.Archives, p.archives[kind])
	}
	if logs := &p.settings.Logs; logs.Type != config.StorageNone && logs.Type != config.StorageDatabase {
		if p.logBlobs, err = p.openStorage(ctx, &logs.Storage); err != nil {
			return fix.UseLogs.Failed(fmt.Errorf("open the store of logs: %w", err))
		}
		p.logBlobs = p.watchBlobs("task_logs", &logs.Storage, p.logBlobs)
	}
	return nil
}

// keepOutput stores output of running tasks, and informs those who follow it.
func (p *serverProcess) keepOutput(ctx context.Context, chunks []trowel.LogChunk) error {
	if err := tasklog.Into(p.store)(ctx, chunks); err != nil {
		return err
	}
	if !p.sole {
		p.output.add(chunks)
	}
	p.events.Publish(outputEvents(chunks)...)
	return nil
}

// openStorage opens a store outside of the database.
func (p *serverProcess) openStorage(ctx context.Context, s *config.Storage) (blob.Store, error) {
	if s.Type == config.StorageFile {
		return file.New(p.opts.path(s.Folder), p.opts.Now())
	}
	b := &s.Bucket
	return cloud.Open(ctx, cloud.Options{
		Provider: s.Type, Bucket: b.Name, Prefix: b.Path, Endpoint: b.Endpoint, PathStyle: b.PathStyle, Region: b.Region,
		AccessKeyID: b.AccessKeyID, SecretAccessKey: b.SecretAccessKey, CredentialsFile: b.CredentialsFile, CredentialsJSON: b.CredentialsJSON,
		Account: b.Account, AccountKey: b.AccountKey, GetExpires: b.DownloadExpiration, PutExpires: b.UploadExpiration,
	})
}

// fetchArchive opens the archive of a revision, wherever it was stored.
func (p *serverProcess) fetchArchive(ctx context.Context, a trowel.Archive) (io.ReadCloser, error) {
	store := p.archives[a.Type]
	if store == nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("the revision's archive is in a store of type %q, which is not configured", a.Type),
			Hint: "set archive.type and archive." + a.Type + ".*",
		}
	}
	return store.Open(ctx, a.Key, 0, -1)
}

func (p *serverProcess) tempDir() string {
	if p.settings.TempDir != "" {
		return p.opts.path(p.settings.TempDir)
	}
	return os.TempDir()
}

// agentName returns the name of the agent in this process.
func (p *serverProcess) agentName() string {
	if p.settings.Agent.ID != "" {
		return p.settings.Agent.ID
	}
	return agent.ProcessName()
}
