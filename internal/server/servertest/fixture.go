package servertest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
)

// Scheduled is a workflow with a schedule.
const Scheduled = "timezone: Asia/Tokyo\nschedule:\n  daily>: 07:00:00\n+a:\n  echo>: hi\n"

// Push pushes a project. files are names and texts in turn.
func (s *Server) Push(t *testing.T, query string, files ...string) Answer {
	t.Helper()
	return s.Do(t, http.MethodPut, "/api/projects?"+query, "application/gzip", Packed(t, files...))
}

// Packed returns a tar.gz of files, which are names and texts in turn.
func Packed(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for i := 0; i < len(files); i += 2 {
		err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))})
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Token stores a token of a role, for one project or, if it is empty, for all. It returns what its bearer sends.
func (s *Server) Token(t *testing.T, role access.Role, project string) string {
	t.Helper()
	text, hash := access.NewToken()
	err := s.Store.Update(t.Context(), func(tx trowel.Tx) error {
		made := &trowel.Token{Name: string(role) + " of " + project, Hash: hash, Role: string(role), CreatedAt: time.Now()}
		if project != "" {
			p, err := tx.FindProject(t.Context(), project)
			if err != nil {
				return err
			}
			made.ProjectID = p.ID
		}
		return tx.InsertToken(t.Context(), made)
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// InsertTasks stores a new project and an attempt with these tasks.
func (s *Server) InsertTasks(t *testing.T, project string, tasks ...*trowel.Task) trowel.AttemptID {
	t.Helper()
	s.Push(t, "project="+project+"&revision=r1", "main.dig", "+a:\n  echo>: a\n")
	p := Read[api.ProjectCollection](t, s.Get(t, "/api/projects?name="+project), 200).Projects[0]
	w := Read[api.WorkflowCollection](t, s.Get(t, "/api/projects/"+p.ID.String()+"/workflows"), 200).Workflows[0]
	a := Read[api.Attempt](t, s.Put(t, "/api/attempts", `{"workflowId":"`+w.ID.String()+`","sessionTime":"2024-01-01T00:00:00Z","params":{}}`), 200)
	for i, task := range tasks {
		task.AttemptID = trowel.AttemptID(a.ID)
		if task.ID == 0 {
			task.ID = trowel.TaskID(int(a.ID)*1000 + i)
		}
		if task.FullName == "" {
			task.FullName = fmt.Sprintf("+main+t%d", i)
		}
		if task.ReadyAt.IsZero() {
			task.ReadyAt = time.Now()
		}
		task.UpdatedAt = time.Now()
	}
	err := s.Store.Update(t.Context(), func(tx trowel.Tx) error { return tx.InsertTasks(t.Context(), tasks) })
	if err != nil {
		t.Fatal(err)
	}
	return trowel.AttemptID(a.ID)
}

// Needing returns the needs of a task that takes slots of a pool.
func Needing(pool string, slots, weight int) *trowel.Requirements {
	return &trowel.Requirements{Pools: []trowel.PoolRequirement{{Name: pool, Slots: slots}}, Weight: &weight}
}
