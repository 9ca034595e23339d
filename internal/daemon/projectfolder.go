package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/scheduler"
)

const (
	localProject = "default"
	reloadEvery  = 5 * time.Second
	// Texts of server 1.9.5.
	textAddedRevision = "Added new revision %d"
	textReloading     = "Reloading %s"
	textFailedReload  = "Failed to reload"
)

// BrokenProjectError says that the files of a project were refused.
type BrokenProjectError struct{ Err error }

func (e *BrokenProjectError) Error() string { return strings.TrimSpace(e.Err.Error()) }

// Unwrap gives the reason to errors.Is and errors.As.
func (e *BrokenProjectError) Unwrap() error { return e.Err }

// outputPlace says where the output of tasks is, as it is not in the log of a server.
func outputPlace(p *process, listening runtimeInfo) string {
	if p.settings.Logs.Type == config.StorageNone {
		return "Output of tasks is not kept, as log-server.type says"
	}
	address, scheme := listening.Local[0], "http://"
	if p.settings.Listen.TLSCert != "" {
		scheme = "https://"
	}
	server := " -e " + scheme + joinHostPort(address.Host, address.Port)
	return fmt.Sprintf("Output of tasks: `%[1]s attempts%[2]s` lists attempts, `%[1]s log ATTEMPT%[2]s` shows what their tasks print", p.opts.Program, server)
}

// localFolder is a project on this machine. Its present state is stored as the newest revision.
type localFolder struct {
	dir     string
	log     *slog.Logger
	store   trowel.Store
	now     func() time.Time
	changed func(*trowel.Schedule) // is called with nil when the schedules may have changed

	revision int    // number of the newest one
	stored   string // definitions of that revision
}

// load stores the project if it has changed.
func (f *localFolder) load(ctx context.Context) error {
	project, err := f.read()
	if err != nil {
		return &BrokenProjectError{err}
	}
	text := definitionsOf(project)
	if text == f.stored {
		return nil
	}
	if f.revision > 0 {
		logging.Print(ctx, f.log, slog.LevelInfo, fmt.Sprintf(textReloading, f.dir))
	}
	number, err := f.addRevision(ctx, project)
	if err != nil {
		return err
	}
	f.revision, f.stored = number, text
	logging.Print(ctx, f.log, slog.LevelInfo, fmt.Sprintf(textAddedRevision, number))
	f.changed(nil)
	return nil
}

// read reads the project, and refuses what a push would refuse.
func (f *localFolder) read() (*dig.Project, error) {
	project, err := dig.Load(f.dir)
	if err != nil {
		return nil, err
	}
	if _, err := project.Compile(); err != nil {
		return nil, err
	}
	return project, project.CheckSchedules()
}

// definitionsOf returns everything that decides whether the project needs a new revision.
func definitionsOf(project *dig.Project) string {
	all := param.New()
	for _, w := range project.Workflows {
		all.Set(w.Name, param.Of("zone", w.Zone.ID, "definition", w.Definition))
	}
	return param.JSON(all)
}

// addRevision stores a revision and moves the schedules. In an existing database it continues the
// numbers.
func (f *localFolder) addRevision(ctx context.Context, project *dig.Project) (number int, err error) {
	now := f.now()
	number = f.revision + 1
	for {
		err := f.store.Update(ctx, func(tx trowel.Tx) error {
			workflows := make([]*trowel.Workflow, len(project.Workflows))
			for i, w := range project.Workflows {
				workflows[i] = &trowel.Workflow{Name: w.Name, Zone: w.Zone.ID, Definition: w.Definition, Origin: w.Origin}
			}
			row := &trowel.Project{Name: localProject, CreatedAt: now}
			revision := &trowel.Revision{
				Name: strconv.Itoa(number), Archive: trowel.Archive{Type: trowel.ArchiveNone}, Actor: "scheduler", CreatedAt: now,
			}
			if err := tx.InsertRevision(ctx, row, revision, workflows); err != nil {
				return err
			}
			return scheduler.Apply(ctx, tx, scheduler.Push{Project: row.ID, Workflows: workflows, Now: now})
		})
		if !errors.Is(err, trowel.ErrConflict) {
			return number, err
		}
		number++
	}
}

// watch loads the project every few seconds. If it is broken, that is logged each time, and the revision
// before stays.
func (f *localFolder) watch(ctx context.Context) error {
	ticker := time.NewTicker(reloadEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
		if err := f.load(ctx); err != nil && ctx.Err() == nil {
			f.log.ErrorContext(ctx, textFailedReload, slog.Any("error", err))
		}
	}
}
