package digdag

import (
	"context"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

// Options say what is copied, and how. Archives is required.
type Options struct {
	// Site is the tenant whose rows are copied. Most servers only have site 0.
	Site int64
	// Archives stores the archives that Digdag had in its database.
	Archives Archives
	// KeyPrefixes are what the target's settings put before all keys, by the type of the store of archives.
	// Digdag's keys contain it already.
	KeyPrefixes map[string]string
	// Rebind brings a secret into the form that is bound to its project and key. If it fails, the secret is copied
	// as it is. If Rebind is nil, all are.
	Rebind func(row *trowel.Secret) error
	// Progress is called as the copy goes on. Nil for no calls.
	Progress func(Progress)
	// Now is the present time.
	Now time.Time
}

// Archives stores archives in the target's database. Both methods work inside a transaction of it.
type Archives interface {
	Put(ctx context.Context, tx trowel.Tx, key string, data []byte) error
	Get(ctx context.Context, tx trowel.Tx, key string) ([]byte, error)
}

// Target is a store without projects.
type Target interface {
	Import(ctx context.Context, f func(*store.Importer) error) error
}

// Copy copies one site into an empty store, in one transaction: all of it or nothing. Ids are kept. The source is
// not changed, so a copy that failed can be repeated. Before the commit Copy compares the numbers of rows in both
// databases.
func Copy(ctx context.Context, source *Source, target Target, opts Options) (*Report, error) {
	var report *Report
	err := target.Import(ctx, func(im *store.Importer) error {
		c := &copying{
			source: source, target: im, opts: opts,
			report: &Report{Site: opts.Site, Elsewhere: map[string]int64{}},
		}
		report = c.report
		return c.all(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("copy from Digdag: %w", err)
	}
	return report, nil
}

// copying is one Copy.
type copying struct {
	source *Source
	target *store.Importer
	opts   Options
	report *Report

	last     store.LastIDs
	archives int64      // of this site in Digdag's database
	sums     []checksum // of the archives that are compared
}

// step copies one table.
type step struct {
	name  string // in words
	count string // statement that counts what is to be copied
	table store.Table
	run   func(ctx context.Context, done func(rows int)) error
}

func (c *copying) steps() []step {
	return []step{
		{"projects", sqlCountProjects, store.TableProject, c.projects},
		{"revisions", sqlCountRevisions, store.TableRevision, c.revisions},
		{"archives", sqlCountArchives, "", c.files},
		{"definitions", sqlCountConfigs, store.TableConfig, c.configs},
		{"workflows", sqlCountWorkflows, store.TableWorkflow, c.workflows},
		{"schedules", sqlCountSchedules, store.TableSchedule, c.schedules},
		{"secrets", sqlCountSecrets, store.TableSecret, c.secrets},
		{"sessions", sqlCountSessions, store.TableSession, c.sessions},
		{"attempts", sqlCountAttempts, store.TableAttempt, c.attempts},
	}
}

func (c *copying) all(ctx context.Context) (err error) {
	if err := c.survey(ctx, c.opts.Now); err != nil {
		return err
	}
	if c.last, err = c.source.lastIDs(ctx); err != nil {
		return err
	}
	for _, s := range c.steps() {
		if err := c.step(ctx, s); err != nil {
			return fmt.Errorf("copy %s: %w", s.name, err)
		}
	}
	if err := c.target.PassIDs(ctx, c.last); err != nil {
		return err
	}
	return c.verify(ctx)
}

func (c *copying) step(ctx context.Context, s step) error {
	total, err := c.source.number(ctx, s.count, c.opts.Site)
	if err != nil {
		return fmt.Errorf("count them: %w", err)
	}
	if s.table == "" {
		c.archives = total
	}
	c.report.Counts = append(c.report.Counts, Count{Name: s.name, Source: total})
	done := int64(0)
	tell := func(rows int) {
		done += int64(rows)
		if c.opts.Progress != nil {
			c.opts.Progress(Progress{Name: s.name, Done: done, Total: total})
		}
	}
	tell(0)
	return s.run(ctx, tell)
}

func (c *copying) warn(format string, args ...any) {
	c.report.Warnings = append(c.report.Warnings, fmt.Sprintf(format, args...))
}

// noted returns a batch that passes rows on and reports how many there were.
func noted[T any](write func(context.Context, []T) error, done func(int)) *batch[T] {
	return &batch[T]{write: func(ctx context.Context, rows []T) error {
		if err := write(ctx, rows); err != nil {
			return err
		}
		done(len(rows))
		return nil
	}}
}
