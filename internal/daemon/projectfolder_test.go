package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// A project whose schedule has an option that nobody reads is refused, at the first load and at each
// later one (language S10). Nothing is stored, for which the test has no server.
func TestLocalFolderUnknownOption(t *testing.T) {
	t.Parallel()
	for option, want := range map[string]string{
		"skip_on_over_time: true": "Parameter 'skip_on_over_time' is not used at schedule. > Did you mean '[skip_on_overtime]'?",
		"skip_delayd_by: 1h":      "Parameter 'skip_delayd_by' is not used at schedule.",
		"wrong>: 1":               "Parameter 'wrong>' is not used at schedule.",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "w.dig")
		if err := os.WriteFile(file, []byte("schedule:\n  minutes_interval>: 1\n  "+option+"\n+a: {echo>: a}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f := &localFolder{dir: dir, revision: 1, stored: "what was loaded before"}
		for range 2 {
			if err := f.load(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("load with %s: %v, want %s", option, err, want)
			}
		}
	}
}

// The state of a folder is a revision, its schedules too. One that has not changed is none; one that is broken leaves the
// one before. In a database that was there before, numbers go on.
func TestLocalFolderRevisions(t *testing.T) {
	t.Parallel()
	db := trowtest.Store(t)
	dir := t.TempDir()
	var out bytes.Buffer
	begin := func() *localFolder {
		log := slog.New(&logging.Handler{To: &out, Thread: "main"})
		return &localFolder{dir: dir, log: log, store: db, now: time.Now, changed: func(*trowel.Schedule) {}}
	}
	const (
		twice = "schedule: {minutes_interval>: 2}\n+a: {echo>: a}\n"
		often = "schedule: {minutes_interval>: 1}\n+a: {echo>: a}\n"
	)
	folder := begin()
	for _, step := range []struct {
		name, text string
		restart    bool
		wrong      string // what an error says
		logged     string
		revision   string
		schedules  int
	}{
		{name: "first", text: twice, logged: "Added new revision 1", revision: "1", schedules: 1},
		{name: "the same", text: twice, revision: "1", schedules: 1},
		{name: "only a comment more", text: twice + "# often enough\n", revision: "1", schedules: 1},
		{name: "changed", text: often, logged: "Reloading " + dir, revision: "2", schedules: 1},
		{name: "broken", text: "+a: {echo>: a", wrong: "w.dig", revision: "2", schedules: 1},
		{name: "whole again", text: often, revision: "2", schedules: 1},
		{name: "no schedule any more", text: "+a: {echo>: a}\n", logged: "Added new revision 3", revision: "3"},
		{name: "in a process that follows", text: often, restart: true, logged: "Added new revision 4", revision: "4", schedules: 1},
	} {
		out.Reset()
		if step.restart {
			folder = begin()
		}
		if err := os.WriteFile(filepath.Join(dir, "w.dig"), []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := folder.load(t.Context())
		if _, broken := errors.AsType[*BrokenProjectError](err); broken != (step.wrong != "") || broken && !strings.Contains(err.Error(), step.wrong) || err != nil && !broken {
			t.Errorf("%s: error = %v, want one about %q", step.name, err, step.wrong)
		}
		if !strings.Contains(out.String(), step.logged) || step.logged == "" && out.Len() > 0 {
			t.Errorf("%s: the log has %q, want %q", step.name, out.String(), step.logged)
		}
		err = db.View(t.Context(), func(tx trowel.Tx) error {
			project, err := tx.FindProject(t.Context(), localProject)
			if err != nil {
				return err
			}
			revision, err := tx.FindRevision(t.Context(), project.ID, "")
			if err != nil {
				return err
			}
			schedules, err := tx.ListSchedules(t.Context(), trowel.ScheduleFilter{Project: project.ID, Limit: 10})
			if revision.Name != step.revision || len(schedules) != step.schedules {
				t.Errorf("%s: revision %s with %d schedules, want %s with %d", step.name, revision.Name, len(schedules), step.revision, step.schedules)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
	}
}
