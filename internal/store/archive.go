package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const sqlFindArchive = `SELECT tasks FROM task_archive WHERE attempt_id = $1 ORDER BY part`

// archivedBytes is about what a task without parameters takes in the archive.
const archivedBytes = 256

// archivePart is how many tasks one row of the archive has, so that no value gets large.
const archivePart = 500

const archiveColumns = "attempt_id BIGINT, part INTEGER, tasks TEXT, created_at BIGINT"

func (t *tx) ArchiveTasks(ctx context.Context, at time.Time, ended ...trowel.EndedTasks) error {
	// Each statement takes about as many tasks as one part has, so that it does not get large.
	for len(ended) > 0 {
		n, tasks := 1, len(ended[0].Tasks)
		for n < min(len(ended), lockedAtOnce) && tasks+len(ended[n].Tasks) <= archivePart {
			tasks += len(ended[n].Tasks)
			n++
		}
		if err := t.archive(ctx, at, ended[:n]); err != nil {
			return err
		}
		ended = ended[n:]
	}
	return nil
}

func (t *tx) archive(ctx context.Context, at time.Time, ended []trowel.EndedTasks) error {
	ids := make([]trowel.AttemptID, len(ended))
	var parts []archived
	for i, e := range ended {
		ids[i] = e.AttemptID
		for part := 0; part == 0 || part*archivePart < len(e.Tasks); part++ {
			from := part * archivePart
			parts = append(parts, archived{e.AttemptID, part, e.Tasks[from:min(from+archivePart, len(e.Tasks))]})
		}
	}
	insert := bulk{table: "task_archive", columns: archiveColumns}
	var text []byte
	err := t.bulk(ctx, insert, len(parts), func(v *values, i int) {
		text = appendArchive(text[:0], parts[i].tasks)
		v.number(int64(parts[i].attempt))
		v.number(int64(parts[i].part))
		v.whole(string(text))
		v.instant(at)
	})
	if err != nil {
		return fmt.Errorf("archive the tasks of attempts %v: %w", ids, err)
	}
	err = t.bulk(ctx, bulk{table: "task", keys: "attempt_id BIGINT"}, len(ids), func(v *values, i int) { v.number(int64(ids[i])) })
	if err != nil {
		return fmt.Errorf("delete the live tasks of attempts %v: %w", ids, err)
	}
	return nil
}

// archived is a row of the archive.
type archived struct {
	attempt trowel.AttemptID
	part    int
	tasks   []*trowel.Task
}

func (t *tx) ListArchivedTasks(ctx context.Context, attempt trowel.AttemptID) ([]*trowel.Task, error) {
	var tasks []*trowel.Task
	found := false
	err := t.rows(ctx, sqlFindArchive, []any{attempt}, func(scan func(...any) error) error {
		found = true
		var text string
		if err := scan(&text); err != nil {
			return err
		}
		part, err := readArchive(attempt, text)
		tasks = append(tasks, part...)
		return err
	})
	if err == nil && !found {
		err = trowel.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read the archive of attempt %d: %w", attempt, err)
	}
	return tasks, nil
}

func readArchive(attempt trowel.AttemptID, text string) ([]*trowel.Task, error) {
	value, err := param.Parse(text)
	if err != nil {
		return nil, err
	}
	list, _ := value.(param.List)
	tasks := make([]*trowel.Task, 0, len(list))
	for _, item := range list {
		object, _ := item.(*param.Map)
		row, err := unarchived(attempt, param.NewReader(object))
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, row)
	}
	return tasks, nil
}

// members writes the members of a JSON object. It leaves out empty ones.
type members []byte

func (m *members) key(name string) {
	if (*m)[len(*m)-1] != '{' {
		*m = append(*m, ',')
	}
	*m = append(*m, '"')
	*m = append(*m, name...)
	*m = append(*m, '"', ':')
}

func (m *members) number(name string, n int64) {
	if n != 0 {
		m.key(name)
		*m = strconv.AppendInt(*m, n, 10)
	}
}

func (m *members) text(name, s string) {
	if s != "" {
		m.key(name)
		*m = param.AppendQuoted(*m, s)
	}
}

func (m *members) object(name string, o *param.Map) {
	if o.Len() > 0 {
		m.key(name)
		*m = param.AppendJSON(*m, o)
	}
}

func (m *members) instant(name string, at time.Time) {
	if !at.IsZero() {
		m.number(name, at.UnixMicro())
	}
}

func (m *members) list(name string, length int, item func(m *members, i int)) {
	if length == 0 {
		return
	}
	m.key(name)
	for i := range length {
		if i == 0 {
			*m = append(*m, '[')
		} else {
			*m = append(*m, ',')
		}
		item(m, i)
	}
	*m = append(*m, ']')
}

// appendArchive writes tasks as a JSON list of objects.
func appendArchive(text []byte, tasks []*trowel.Task) []byte {
	m := members(append(slices.Grow(text, len(tasks)*archivedBytes), '['))
	for i, row := range tasks {
		if i > 0 {
			m = append(m, ',')
		}
		m = append(m, '{')
		m.task(row)
		m = append(m, '}')
	}
	return append(m, ']')
}

func (m *members) task(row *trowel.Task) {
	m.number("id", int64(row.ID))
	m.number("parentId", int64(row.ParentID))
	m.text("fullName", row.FullName)
	if row.Group {
		m.number("group", 1)
	}
	m.number("state", int64(row.State))
	m.number("flags", int64(row.Flags))
	m.object("local", row.Local)
	m.object("export", row.Export)
	m.text("origin", row.Origin.Text())
	m.list("upstreams", len(row.Upstreams), func(m *members, i int) { *m = strconv.AppendInt(*m, int64(row.Upstreams[i]), 10) })
	m.number("round", int64(row.Round))
	m.number("parentRound", int64(row.ParentRound))
	m.number("try", int64(row.Try))
	m.number("retryCount", int64(row.RetryCount))
	m.instant("retryAt", row.RetryAt)
	m.text("waitReason", string(row.WaitReason))
	m.object("stateParams", row.StateParams)
	m.object("subtaskConfig", row.Result.Subtasks)
	m.object("exportParams", row.Result.Export)
	m.list("resetKeys", len(row.Result.ResetKeys), func(m *members, i int) { *m = param.AppendQuoted(*m, row.Result.ResetKeys[i]) })
	m.object("storeParams", row.Result.Store)
	m.object("error", row.Error)
	m.instant("readyAt", row.ReadyAt)
	m.instant("claimedAt", row.ClaimedAt)
	m.instant("startedAt", row.StartedAt)
	m.instant("updatedAt", row.UpdatedAt)
	m.text("agent", row.AgentID)
	if row.Requirements != nil {
		m.key("needs")
		*m = append(*m, mustJSON(row.Requirements)...)
	}
	if row.Acquired != nil {
		m.key("holds")
		*m = append(*m, mustJSON(row.Acquired)...)
	}
	m.number("losses", int64(row.Losses))
	m.list("masked", len(row.Masked), func(m *members, i int) { *m = param.AppendQuoted(*m, row.Masked[i]) })
	m.number("resumingTaskId", int64(row.ResumingID))
	m.number("version", row.Version)
}

// unarchived reads what members.task wrote.
func unarchived(attempt trowel.AttemptID, r *param.Reader) (*trowel.Task, error) {
	var errs []error
	number := func(key string) int64 {
		n, err := r.LongOr(key, 0)
		errs = append(errs, err)
		return n
	}
	text := func(key string) string {
		s, err := r.StringOr(key, "")
		errs = append(errs, err)
		return s
	}
	object := func(key string) *param.Map {
		m, err := r.OptMap(key)
		errs = append(errs, err)
		if m == nil {
			m = param.New()
		}
		return m
	}
	instant := func(key string) time.Time {
		if n := number(key); n != 0 {
			return time.UnixMicro(n).UTC()
		}
		return time.Time{}
	}
	list := func(key string) param.List {
		items, err := r.ListOr(key, nil)
		errs = append(errs, err)
		return items
	}
	row := &trowel.Task{
		ID: trowel.TaskID(number("id")), AttemptID: attempt, ParentID: trowel.TaskID(number("parentId")), FullName: text("fullName"),
		Origin: trowel.ParseOrigin(text("origin")),
		Group:  number("group") != 0, Local: object("local"), Export: object("export"),
		State: trowel.TaskState(number("state")), Flags: trowel.TaskFlags(number("flags")), //nolint:gosec // written from the same types
		Round: int(number("round")), ParentRound: int(number("parentRound")), Try: int(number("try")),
		RetryCount: int(number("retryCount")), RetryAt: instant("retryAt"), WaitReason: trowel.WaitCode(text("waitReason")), StateParams: object("stateParams"),
		Result: trowel.Result{Subtasks: object("subtaskConfig"), Export: object("exportParams"), Store: object("storeParams")},
		Error:  object("error"), ReadyAt: instant("readyAt"), ClaimedAt: instant("claimedAt"), StartedAt: instant("startedAt"),
		UpdatedAt: instant("updatedAt"), AgentID: text("agent"), ResumingID: trowel.TaskID(number("resumingTaskId")), Version: number("version"),
		Losses: int(number("losses")),
	}
	for key, to := range map[string]any{"needs": &row.Requirements, "holds": &row.Acquired} {
		if value, ok := r.Value(key); ok {
			errs = append(errs, readJSON(sql.NullString{String: param.JSON(value), Valid: true}, to))
		}
	}
	for _, up := range list("upstreams") {
		id, _ := param.AsLong(up)
		row.Upstreams = append(row.Upstreams, trowel.TaskID(id))
	}
	for _, place := range list("masked") {
		text, _ := param.AsString(place)
		row.Masked = append(row.Masked, text)
	}
	for _, key := range list("resetKeys") {
		name, _ := param.AsString(key)
		row.Result.ResetKeys = append(row.Result.ResetKeys, name)
	}
	return row, errors.Join(errs...)
}
