package flush_test

import (
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// TestLostAgent has a server die with a task while another one lives: the task runs there within a
// second after the end of the lease, or at once if nobody else can have the store (X59a).
func TestLostAgent(t *testing.T) {
	t.Parallel()
	const lease = 30 * time.Second
	for _, row := range []struct {
		name string
		sole bool
		want time.Duration // at most
	}{
		{"lease ends", false, lease + time.Second},
		{"sole server", true, time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := beginWithoutRoom(t, nil)
				started := f.Begin(0, param.Of("+a", param.Of("echo>", 1)))
				trowtest.PutAgent(t, f.Store, "dead", lease)
				claimAndDie(t, f.Store)
				died := time.Now()
				trowtest.PutAgent(t, f.Store, "living", 24*time.Hour)
				given, living := serve(t, f.Store, "living", row.sole)
				l := <-given
				if took := time.Since(died); took > row.want {
					t.Errorf("the task was given to another after %v, want at most %v", took, row.want)
				}
				if l.Try != 2 || l.AgentID != "living" || l.AttemptID != started.Attempt.ID {
					t.Errorf("lease of try %d by %s, want try 2 by the living one", l.Try, l.AgentID)
				}
				if !l.StartedAt.Equal(died) {
					t.Errorf("started at %v, want that of the first try, %v", l.StartedAt, died)
				}
				living.Stop()
				checkLost(t, f.Store, started.Attempt.ID)
			})
		})
	}
}

// claimAndDie has a server claim a task and die.
func claimAndDie(t *testing.T, store trowel.Store) {
	t.Helper()
	given, dying := serve(t, store, "dead", false)
	<-given
	dying.Stop()
}

// serve runs a server whose agent takes one task and never reports.
func serve(t *testing.T, store trowel.Store, agent string, exclusive bool) (given chan *trowel.Lease, f *trowtest.Flusher) {
	t.Helper()
	given = make(chan *trowel.Lease, 1)
	return given, trowtest.RunFlusher(t, flush.Options{
		Store: store, Agent: &trowtest.Agent{Name: agent, Slots: 1, Take: func(l *trowel.Lease) { given <- l }},
		RetryForever: true, Recover: true, Exclusive: exclusive,
	})
}

// checkLost checks that the first try is recorded as lost, and the dead agent is forgotten.
func checkLost(t *testing.T, store trowel.Store, id trowel.AttemptID) {
	t.Helper()
	trowtest.View(t, store, func(tx trowel.Tx) error {
		tries, err := tx.ListTries(t.Context(), id)
		if err != nil {
			return err
		}
		if len(tries) != 1 || tries[0].Number != 1 || tries[0].Exit != trowel.ExitLost || tries[0].AgentID != "dead" {
			t.Errorf("tries = %+v, want the lost one", tries)
		}
		agents, err := tx.ListAgents(t.Context())
		if len(agents) != 1 || agents[0].ID != "living" {
			t.Errorf("%d agents, want the living one", len(agents))
		}
		if err != nil {
			return err
		}
		records, err := tx.ListRecords(t.Context(), trowel.RecordFilter{Action: trowel.ActionAgentLost, Limit: 10})
		if len(records) != 1 || records[0].ObjectID != "dead" || records[0].Actor != "engine" || param.JSON(records[0].After) != `{"tries":1}` {
			t.Errorf("records = %+v, want one of the dead agent with its try", records)
		}
		return err
	})
}

// A server without an executor learns that another one has ended its attempt, and one with an executor
// takes up what others begin, without being told.
func TestEndedElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := beginWithoutRoom(t, func(o *flush.Options) { o.RetryForever = true })
		trowtest.PutAgent(t, f.Store, "executor", 24*time.Hour)
		trowtest.RunFlusher(t, flush.Options{
			Store: f.Store, Agent: &trowtest.Agent{Name: "executor", Slots: 4}, RetryForever: true, Recover: true,
		})
		<-time.After(time.Second) // it has looked once, and found nothing
		begun := time.Now()
		started := f.Begin(0, group(3))
		if got := (<-started.Ended).Flags.Status(); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("the end was heard after %v, want at most two looks of 10 s", took)
		}
	})
}
