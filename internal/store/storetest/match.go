package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Things are found by parts of their names, the best first, and nothing of deleted projects.
func testMatch(t *testing.T, db trowel.Store) {
	all := newSummaries(t, db)
	project := all[0].Project
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		projects, err := tx.MatchProjects(ctx, trowel.NameQuery{Words: []string{strings.ToLower(project.Name)}, Limit: 5})
		if err != nil || len(projects) == 0 || projects[0].ID != project.ID {
			t.Errorf("MatchProjects(%s) = %v, %v", project.Name, projects, err)
		}
		every, err := tx.MatchProjects(ctx, trowel.NameQuery{Limit: 500})
		if err != nil || len(every) < 2 {
			t.Errorf("MatchProjects of all = %v, %v", every, err)
		}
		for _, other := range every {
			own, err := tx.MatchProjects(ctx, trowel.NameQuery{Project: other.ID, Limit: 5})
			if err != nil || len(own) != 1 || own[0].ID != other.ID {
				t.Errorf("MatchProjects of project %d = %v, %v", other.ID, own, err)
			}
		}
		flows, err := tx.MatchWorkflows(ctx, trowel.NameQuery{Words: []string{strings.ToLower(project.Name) + "/", "a"}, Project: project.ID, Limit: 5})
		if err != nil || len(flows) == 0 || flows[0].Name != "a" || flows[0].Project.ID != project.ID || flows[0].Zone == "" || flows[0].Revision == "" {
			t.Errorf("MatchWorkflows(a) = %+v, %v", flows, err)
		}
		for _, words := range [][]string{{"%"}, {"_"}, {"no such name"}, {"a", "no such name"}} {
			if none, err := tx.MatchWorkflows(ctx, trowel.NameQuery{Words: words, Limit: 5}); err != nil || len(none) > 0 {
				t.Errorf("MatchWorkflows(%q) = %+v, %v, want none", words, none, err)
			}
		}
		revisions, err := tx.MatchRevisions(ctx, trowel.NameQuery{Words: []string{flows[0].Revision}, Project: project.ID, Limit: 5})
		if err != nil || len(revisions) == 0 || revisions[0].Revision.Name != flows[0].Revision || revisions[0].Project.ID != project.ID {
			t.Errorf("MatchRevisions = %+v, %v", revisions, err)
		}
		return nil
	})
	named := trowel.Attempt{Name: "Match-1", WorkflowID: all[0].Attempt.WorkflowID, Zone: "UTC", CreatedAt: at(1)}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertAttempt(ctx, &all[0].Session, &named) })
	session := all[0].Session
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for word, want := range map[string]int{"Match": 1, "Match-1": 1, "match": 0, "atch": 0, "%": 0} {
			for _, project := range []trowel.ProjectID{0, project.ID} {
				list, err := tx.MatchAttempts(ctx, trowel.NameQuery{Words: []string{word}, Project: project, Limit: 5})
				if err != nil || len(list) != want || want == 1 && list[0].Attempt.ID != named.ID {
					t.Errorf("MatchAttempts(%q) = %d, %v, want %d", word, len(list), err, want)
				}
			}
			if list, err := tx.MatchAttempts(ctx, trowel.NameQuery{Words: []string{word}, Project: 999, Limit: 5}); err != nil || len(list) > 0 {
				t.Errorf("MatchAttempts(%q) of another project = %v, %v", word, list, err)
			}
		}
		for _, span := range []trowel.SessionSpan{{}, {Project: session.ProjectID, Workflow: session.Workflow}} {
			span.From, span.To, span.Limit = session.Time, session.Time.Add(time.Microsecond), 100
			list, err := tx.MatchSessions(ctx, span)
			found := false
			for _, s := range list {
				found = found || s.Session.ID == session.ID && s.Attempt.ID == named.ID
				if !s.Session.Time.Equal(session.Time) {
					t.Errorf("MatchSessions(%+v) has one of %v", span, s.Session.Time)
				}
			}
			if err != nil || !found {
				t.Errorf("MatchSessions(%+v) = %d, %v, want session %d", span, len(list), err, session.ID)
			}
		}
		_, _, err := tx.FindTaskAttempt(ctx, 999_999)
		wantNotFound(t, map[string]error{"FindTaskAttempt": err})
		return nil
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteProject(ctx, project.ID, at(9)) })
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		q := trowel.NameQuery{Project: project.ID, Limit: 5}
		projects, errProjects := tx.MatchProjects(ctx, q)
		flows, errFlows := tx.MatchWorkflows(ctx, q)
		q.Words = []string{"Match"}
		attempts, errAttempts := tx.MatchAttempts(ctx, q)
		sessions, errSessions := tx.MatchSessions(ctx, trowel.SessionSpan{Project: session.ProjectID, Workflow: session.Workflow, To: session.Time.Add(time.Hour), Limit: 5})
		if len(projects)+len(flows)+len(attempts)+len(sessions) > 0 || errProjects != nil || errFlows != nil || errAttempts != nil || errSessions != nil {
			t.Errorf("of a deleted project: %v %v %v %v", projects, flows, attempts, sessions)
		}
		return nil
	})
}
