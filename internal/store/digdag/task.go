package digdag

import (
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// grouping is the type of tasks that have no operator (server 6.5).
const grouping = 1

// states returns the names of Digdag's states (server 6.5).
func states() map[string]trowel.TaskState {
	byName := map[string]trowel.TaskState{}
	for s := trowel.TaskBlocked; s <= trowel.TaskCanceled; s++ {
		byName[s.String()] = s
	}
	return byName
}

// readTasks reads the tasks of an attempt from the form of task_archives (server 6.4). Keys that older
// versions did not write may be missing, and unknown ones are ignored. An empty text has no tasks.
func readTasks(attempt trowel.AttemptID, text string) ([]*trowel.Task, error) {
	if text == "" {
		return nil, nil
	}
	value, err := param.Parse(text)
	if err != nil {
		return nil, err
	}
	list, ok := value.(param.List)
	if !ok {
		return nil, errors.New("they are not a list")
	}
	byName := states()
	tasks := make([]*trowel.Task, 0, len(list))
	for i, item := range list {
		object, ok := item.(*param.Map)
		if !ok {
			return nil, fmt.Errorf("task number %d is not an object", i+1)
		}
		r := &taskReader{reader: param.NewReader(object)}
		task := r.task(attempt, byName)
		if err := errors.Join(r.errs...); err != nil {
			return nil, fmt.Errorf("task number %d: %w", i+1, err)
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

// taskReader reads the members of a task and collects errors about them.
type taskReader struct {
	reader *param.Reader
	errs   []error
}

func (r *taskReader) task(attempt trowel.AttemptID, byName map[string]trowel.TaskState) *trowel.Task {
	config := &taskReader{reader: param.NewReader(r.object("config"))}
	t := &trowel.Task{
		ID: trowel.TaskID(r.number("id")), AttemptID: attempt, ParentID: trowel.TaskID(r.number("parentId")),
		FullName: r.text("fullName"), Group: r.number("taskType") == grouping,
		Local: config.object("local"), Export: config.object("export"), Upstreams: r.ids("upstreams"),
		Flags:      trowel.TaskFlags(r.number("stateFlags")), //nolint:gosec // a smallint of four bits
		RetryCount: int(r.number("retryCount")), RetryAt: r.instant("retryAt"), StateParams: r.object("stateParams"),
		Result: trowel.Result{
			Subtasks: r.object("subtaskConfig"), Export: r.object("exportParams"), ResetKeys: r.texts("resetStoreParams"),
			Store: r.object("storeParams"),
		},
		Error: r.object("error"), StartedAt: r.instant("startedAt"), UpdatedAt: r.instant("updatedAt"),
		ResumingID: trowel.TaskID(r.number("resumingTaskId")), Version: 1,
	}
	if !t.StartedAt.IsZero() {
		t.Try = 1 // at least
	}
	name := r.text("state")
	state, known := byName[name]
	if !known {
		r.errs = append(r.errs, fmt.Errorf("state %q is not known", name))
	}
	t.State = state
	r.errs = append(r.errs, config.errs...)
	return t
}

func (r *taskReader) number(key string) int64 {
	n, err := r.reader.LongOr(key, 0)
	r.errs = append(r.errs, err)
	return n
}

func (r *taskReader) text(key string) string {
	s, err := r.reader.StringOr(key, "")
	r.errs = append(r.errs, err)
	return s
}

func (r *taskReader) object(key string) *param.Map {
	m, err := r.reader.OptMap(key)
	r.errs = append(r.errs, err)
	if m == nil {
		return param.New()
	}
	return m
}

// instant reads a time in the form of Digdag's JSON, with or without fractions of a second.
func (r *taskReader) instant(key string) time.Time {
	text := r.text(key)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s %q is not an instant", key, text))
	}
	return at.UTC()
}

func (r *taskReader) list(key string) param.List {
	list, err := r.reader.ListOr(key, nil)
	r.errs = append(r.errs, err)
	return list
}

func (r *taskReader) ids(key string) []trowel.TaskID {
	var ids []trowel.TaskID
	for _, item := range r.list(key) {
		id, ok := param.AsLong(item)
		if !ok {
			r.errs = append(r.errs, fmt.Errorf("%s has something that is no id", key))
		}
		ids = append(ids, trowel.TaskID(id))
	}
	return ids
}

func (r *taskReader) texts(key string) []string {
	var texts []string
	for _, item := range r.list(key) {
		text, ok := param.AsString(item)
		if !ok {
			r.errs = append(r.errs, fmt.Errorf("%s has something that is no text", key))
		}
		texts = append(texts, text)
	}
	return texts
}
