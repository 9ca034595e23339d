package v1

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/retention"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// push is a revision that is being pushed (server 2.6.2). The archive is checked and stored before the transaction
// begins, so that a large one does not hold locks. If the push is refused the archive is deleted again.
type push struct {
	*rest.Call
	*pushes
	project, revision string
	isNew             bool // no project of that name exists
	scheduleFrom      time.Time
	clearAll          bool
	clear             []string
	upload            *archive.Upload
	workflows         []*trowel.Workflow
	pending           *retention.Pending // the archive, until the revision is stored
}

// pushes has the handler of pushes.
type pushes struct {
	PushOptions
	archives         map[string]blob.Store // by type
	schedulesChanged func(one *trowel.Schedule)
}

// PushOptions are the settings of pushes.
type PushOptions struct {
	ArchiveType string      // of new archives
	MaxArchive  int64       // bytes, see api.max_archive_total_size_limit
	TempDir     string      // for uploads; empty for that of the system
	Catalog     dig.Catalog // for warnings about workflow files
}

func (h *pushes) put(c *rest.Call) (any, error) {
	p := &push{Call: c, pushes: h}
	if err := p.parameters(); err != nil {
		return nil, err
	}
	if err := p.read(); err != nil {
		return nil, err
	}
	defer func() {
		if err := p.upload.Close(); err != nil {
			c.Log().Warn("temporary file is left", slog.Any("error", err))
		}
	}()
	if err := p.check(); err != nil {
		return nil, err
	}
	kept, err := p.storeArchive()
	if err != nil {
		return nil, err
	}
	found := p.findings()
	shape, err := p.insert(kept, found)
	if err != nil {
		p.dropArchive(kept, err)
		return nil, err
	}
	h.schedulesChanged(nil)
	c.Log().Info("revision pushed", c.LogFields(p.project, slog.String("revision", p.revision),
		slog.Int("workflows", len(p.workflows)), slog.Int64("size_bytes", p.upload.SizeBytes))...)
	p.logFindings(found)
	return shape, nil
}

// parameters reads the query (steps 1 to 3).
func (p *push) parameters() error {
	p.project, p.revision = p.Query.Get("project"), p.Query.Get("revision")
	if p.project == "" {
		return rest.Invalid("project= is required")
	}
	if p.revision == "" {
		return rest.Invalid("revision= is required")
	}
	if err := p.mayPush(); err != nil {
		return err
	}
	p.scheduleFrom = p.Now
	if text := p.Query.Get("schedule_from"); text != "" {
		at, err := api.ParseInstant(text)
		if err != nil {
			return rest.Invalid("Invalid schedule_from= parameter format. Expected yyyy-MM-dd'T'HH:mm:ss'Z' format")
		}
		p.scheduleFrom = at
	}
	p.clear, p.clearAll = p.Query["clear_schedule"], p.FlagParam("clear_schedule_all")
	return nil
}

// mayPush checks that the caller may push to the project; to all of them if it is new.
func (p *push) mayPush() error {
	return p.View(func(tx trowel.Tx) error {
		known, err := tx.FindProject(p.Ctx(), p.project)
		if errors.Is(err, trowel.ErrNotFound) {
			p.isNew = true
			return p.Authorize(0)
		}
		if err != nil {
			return err
		}
		return p.Authorize(known.ID)
	})
}

// read receives the archive and reads its workflow files (steps 4 to 7).
func (p *push) read() (err error) {
	p.upload, err = archive.Inspect(p.Request.Body, archive.InspectOptions{
		Limits: archive.Limits{MaxBytes: p.MaxArchive}, ContentLength: p.Request.ContentLength, TempDir: p.TempDir,
	})
	if err != nil {
		return err
	}
	if err := p.load(); err != nil {
		return errors.Join(err, p.upload.Close())
	}
	return nil
}

func (p *push) load() error {
	project, err := dig.LoadFS(p.upload.Files, shownDir)
	if err != nil {
		return p.rejected(err)
	}
	if err := p.upload.CheckLength(p.Request.ContentLength); err != nil {
		return err
	}
	for _, w := range project.Workflows {
		p.workflows = append(p.workflows, &trowel.Workflow{Name: w.Name, Zone: w.Zone.ID, Definition: w.Definition, Origin: w.Origin})
	}
	for _, name := range p.clear {
		if project.Find(name) == nil { // scheduler.Apply would find it too, but only after the archive is stored
			return rest.Invalid("%s does not exist", name)
		}
	}
	if _, err := project.Compile(); err != nil {
		return p.rejected(err)
	}
	if err := project.CheckSchedules(); err != nil {
		return p.rejected(err)
	}
	return nil
}

// shownDir is the folder in messages about files, where Digdag has one of its temporary folders. It does not exist: the
// files are in the archive, and paths of this server stay secret.
const shownDir = "/tmp/archive"

// rejected returns an error with Digdag's message about a project, and with all findings.
func (p *push) rejected(err error) error {
	findings := dig.CheckFS(p.upload.Files, shownDir, dig.Catalog{})
	wrong := slices.DeleteFunc(findings, func(f dig.Finding) bool { return f.Severity != dig.SeverityError })
	return rest.Invalid("%s", err).Because(err).WithFindings(wrong)
}

// check checks the names. That of an existing project may have any characters.
func (p *push) check() error {
	if p.isNew {
		if err := trowel.CheckPrintable("a project", p.project); err != nil {
			return err
		}
	}
	if err := trowel.CheckPrintable("a revision", p.revision); err != nil {
		return err
	}
	if err := dig.CheckProjectName(p.project); err != nil {
		return err
	}
	if strings.Contains(p.project, "/") {
		return rest.Invalid("Invalid prefix or suffix") // server 2.6.2: Digdag makes a temporary folder of this name
	}
	return dig.CheckRevisionName(p.revision)
}

// storeArchive stores the archive (step 11).
func (p *push) storeArchive() (trowel.Archive, error) {
	kept := trowel.Archive{
		Type: p.ArchiveType, MD5: p.upload.MD5, SizeBytes: p.upload.SizeBytes,
		Key: fmt.Sprintf("0/%s/%s.%s.tar.gz", base64.RawURLEncoding.EncodeToString([]byte(p.project)), // server 4.6
			strings.ReplaceAll(p.revision, "/", "_"), strings.ToLower(rand.Text())),
	}
	p.pending = &retention.Pending{Archive: kept, Since: p.Clock()}
	if err := p.pending.Begin(p.Ctx(), p.Store()); err != nil {
		return kept, fmt.Errorf("keep the archive of %q: %w", p.project, err)
	}
	if err := p.archives[kept.Type].Put(p.Ctx(), kept.Key, p.upload.Open(), kept.SizeBytes); err != nil {
		return kept, fmt.Errorf("keep the archive of %q: %w", p.project, err)
	}
	return kept, nil
}

// dropArchive deletes the archive of a refused push. It stays if it is not known whether the push succeeded.
func (p *push) dropArchive(kept trowel.Archive, cause error) {
	if errors.Is(cause, trowel.ErrUnavailable) || p.Ctx().Err() != nil {
		return
	}
	ctx, cancel := p.CleanupContext()
	defer cancel()
	if err := p.archives[kept.Type].Delete(ctx, kept.Key); err != nil {
		p.Log().Warn("archive of a refused push is left", slog.String("key", kept.Key), slog.Any("error", err))
		return
	}
	if err := p.pending.Drop(ctx, p.Store()); err != nil {
		p.Log().Warn("mark of a refused push is left", slog.String("key", kept.Key), slog.Any("error", err))
	}
}

// insert stores the revision and updates the schedules, in one transaction (step 12).
func (p *push) insert(kept trowel.Archive, found trowel.Findings) (api.Project, error) {
	var shape api.Project
	err := p.Update(func(tx trowel.Tx) error {
		project := &trowel.Project{Name: p.project, CreatedAt: p.Now}
		revision := &trowel.Revision{Name: p.revision, Archive: kept, Actor: p.Caller.Name, CreatedAt: p.Now}
		if err := p.pending.Confirm(p.Ctx(), tx); err != nil {
			return err
		}
		err := tx.InsertRevision(p.Ctx(), project, revision, p.workflows)
		if errors.Is(err, trowel.ErrTaken) {
			return rest.Errorf(http.StatusConflict, "Resource already exists: revision=%s in project id=%d", p.revision, project.ID).Because(err)
		}
		if err != nil {
			return err
		}
		if !p.Caller.Sees(project.ID) { // the project was deleted meanwhile, and this one is new
			return p.Authorize(project.ID)
		}
		if found.Total > 0 {
			if err := tx.InsertFindings(p.Ctx(), revision.ID, found); err != nil {
				return err
			}
		}
		shape = projectOf(*project, *revision)
		err = p.Record(tx, trowel.AuditRecord{
			Action: "project.push", ObjectKind: "project", ObjectID: shape.ID.String(), Object: project.Name, ProjectID: project.ID,
			After: param.Of("revision", revision.Name, "workflows", len(p.workflows)),
		})
		if err != nil {
			return err
		}
		return scheduler.Apply(p.Ctx(), tx, scheduler.Push{
			Project: project.ID, Workflows: p.workflows, From: p.scheduleFrom, Clear: p.clear, ClearAll: p.clearAll, Now: p.Now,
		})
	})
	return shape, err
}
