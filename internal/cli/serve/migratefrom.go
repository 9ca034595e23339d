package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	trowel "github.com/trowel-project/trowel"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/keyring"
	"github.com/trowel-project/trowel/internal/store/digdag"
	"github.com/trowel-project/trowel/internal/terminal"
)

// migrateFromDigdag copies a Digdag database in PostgreSQL into an empty database of a
// server, and reports what it has copied and what not.
func migrateFromDigdag(ctx context.Context, c *cmd.Call, settings *config.Server) (err error) {
	site, err := migratedSite(c)
	if err != nil {
		return err
	}
	from, err := digdagDatabase(ctx, c, settings)
	if err != nil {
		return err
	}
	crypter, err := keyring.Configured(settings)
	if err != nil {
		return err
	}
	source, err := digdag.Open(ctx, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := database.Open(ctx, &settings.Database, c.Env.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	progress := &migrateProgress{to: c.Env.Stderr}
	report, err := digdag.Copy(ctx, source, target, digdag.Options{
		Site: site, Archives: archivesInside{}, KeyPrefixes: keyPrefixes(&settings.Archives), Progress: progress.tell, Now: c.Env.Now(),
		Rebind: crypter.Rebind,
	})
	if err != nil {
		return err
	}
	r := migrateReport{Report: report, program: c.Program, from: source.Where(), to: database.Place(&settings.Database), archives: settings.Archives.Type}
	r.write(c.Env.Stdout)
	return nil
}

func migratedSite(c *cmd.Call) (int64, error) {
	if !c.Args.Given("--site") {
		return 0, nil
	}
	site, err := strconv.ParseInt(c.Args.Text("--site"), 10, 32)
	if err != nil || site < 0 {
		return 0, c.UsageError("--site wants a number from 0 on, not " + strconv.Quote(c.Args.Text("--site")))
	}
	return site, nil
}

// keyPrefixes returns the prefixes of the keys of archives in the settings.
func keyPrefixes(archives *config.Storage) map[string]string {
	return map[string]string{archives.Type: archives.Bucket.Path}
}

// archivesInside keeps archives in the database as a server does that has them there.
type archivesInside struct{}

func (archivesInside) Put(ctx context.Context, tx trowel.Tx, key string, data []byte) error {
	return blobdb.New(insideTx{tx}).Put(ctx, key, bytes.NewReader(data), int64(len(data)))
}

func (archivesInside) Get(ctx context.Context, tx trowel.Tx, key string) ([]byte, error) {
	content, err := blobdb.New(insideTx{tx}).Open(ctx, key, 0, -1)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(content)
	return data, errors.Join(err, content.Close())
}

// insideTx is a database whose transactions are all part of an open one.
type insideTx struct{ tx trowel.Tx }

func (d insideTx) Update(_ context.Context, f func(trowel.Tx) error) error { return f(d.tx) }

func (d insideTx) View(_ context.Context, f func(trowel.Tx) error) error { return f(d.tx) }

// migrateProgress writes a line for each tenth of a table.
type migrateProgress struct {
	to     io.Writer
	name   string
	tenths int64
}

func (p *migrateProgress) tell(now digdag.Progress) {
	if now.Total == 0 {
		return
	}
	if now.Name != p.name {
		p.name, p.tenths = now.Name, 0
	}
	if tenths := now.Done * 10 / now.Total; tenths > p.tenths {
		p.tenths = tenths
		terminal.Say(p.to, "%s: %d of %d\n", now.Name, now.Done, now.Total)
	}
}

// notPostgreSQL returns the error about a source that is not PostgreSQL.
func notPostgreSQL(kind, where string) error {
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: fmt.Sprintf("database.type is %q: only a Digdag database in PostgreSQL can be copied", kind), Where: where,
		Hint: "files of type h2 can be read by Java alone, and memory is gone when Digdag stops; push the projects to the new server",
	}
}
