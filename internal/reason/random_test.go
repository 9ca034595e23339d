package reason_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/reason"
)

var rounds = flag.Int("reason.rounds", 300, "how many random attempts are played")

// Whatever happens to an attempt, each of its tasks that neither runs nor is done has a reason of its state
// (control K818); a task that is not_reached never runs (K203); and once the attempt has ended, all blocked tasks are
// not reached.
func TestRandomAttempts(t *testing.T) {
	t.Parallel()
	for i := range *rounds {
		k := model.NewCase(uint64(i + 1))
		p := &player{Case: k, rng: rand.New(rand.NewPCG(uint64(i), 9)), now: time.Unix(1705276800, 0).UTC(), runs: map[string]int{}}
		if err := p.play(); err != nil {
			t.Fatalf("case %d: %v\n%s\n%s", i+1, err, param.JSON(k.Body), strings.Join(p.trace, "\n"))
		}
	}
}

// player plays a random attempt and asks about all its tasks after each event.
type player struct {
	model.Case

	rng   *rand.Rand
	now   time.Time
	img   *engine.TaskTree
	runs  map[string]int
	ended map[trowel.TaskID]string // what was told to be not reached, and why
	trace []string
}

type sequence struct{}

func (sequence) Next(after trowel.TaskID) trowel.TaskID { return after + 1 }

func (p *player) play() error {
	tasks, err := dig.Compile("", "+w", p.Body)
	if err != nil {
		return err
	}
	p.ended = map[trowel.TaskID]string{}
	setting := &trowel.AttemptContext{
		Project: trowel.Project{ID: 1, Name: "p"}, Revision: trowel.Revision{ID: 2}, Workflow: trowel.Workflow{ID: 3, Name: "w"},
		Session: trowel.Session{ID: 4, Time: p.now},
	}
	attempt := trowel.Attempt{ID: 7, SessionID: 4, Zone: "UTC"}
	p.img, _, err = engine.Start(attempt, setting, engine.Begin{Tasks: tasks}, p.now, sequence{}, engine.Limits{Tasks: p.Limit})
	if err != nil {
		return nil //nolint:nilerr // more tasks than allowed
	}
	for range 3000 {
		if err := p.ask(); err != nil || p.img.Done() {
			return err
		}
		p.now = p.now.Add(500 * time.Millisecond)
		p.event()
	}
	return fmt.Errorf("the attempt does not end")
}

// event makes something happen to a random task.
func (p *player) event() {
	if p.rng.IntN(150) == 0 {
		p.apply("kill", engine.Kill{})
		return
	}
	var open []*trowel.Task
	for _, row := range p.img.List() {
		switch row.State { //nolint:exhaustive // those to which something can happen
		case trowel.TaskReady, trowel.TaskRunning, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting:
			open = append(open, row)
		}
	}
	if len(open) == 0 {
		return
	}
	row := open[p.rng.IntN(len(open))]
	switch row.State { //nolint:exhaustive // the same
	case trowel.TaskReady:
		p.runs[row.FullName]++
		p.apply("claim "+row.FullName, engine.Claim{Task: row.ID, Agent: "agent"})
	case trowel.TaskRunning:
		r := p.Outcome(row.FullName, p.runs[row.FullName])
		r.TaskID, r.AttemptID, r.Try = row.ID, 7, row.Try
		p.apply(fmt.Sprintf("report %s %d", row.FullName, r.Outcome), engine.Report{Report: r})
	default:
		p.apply("due "+row.FullName, engine.Due{Task: row.ID})
	}
}

func (p *player) apply(what string, ev engine.Event) {
	p.trace = append(p.trace, what)
	p.img.Apply(ev, p.now, sequence{}, engine.Limits{Tasks: p.Limit})
}

// ask looks at all tasks.
func (p *player) ask() error {
	rows := p.img.List()
	f := facts(rows...)
	f.Attempt, f.Now = &p.img.Attempt, p.now
	for _, row := range rows {
		unreachable := f.Tree.Unreachable(row.ID)
		if why := p.ended[row.ID]; why != "" && row.State != trowel.TaskBlocked {
			return fmt.Errorf("%s (%d) is %s, but was told to be not reached: %s", row.FullName, row.ID, row.State, why)
		}
		if p.img.Done() && row.State == trowel.TaskBlocked && !unreachable {
			return fmt.Errorf("the attempt has ended and %s (%d) is still to come", row.FullName, row.ID)
		}
		reasons := reason.Explain(row, f)
		if err := check(row, reasons); err != nil {
			return fmt.Errorf("%s (%d), %s: %w", row.FullName, row.ID, row.State, err)
		}
		if unreachable {
			p.ended[row.ID] = reasons[0].Text
		}
		if p.img.Done() && !row.State.Done() && !unreachable {
			return fmt.Errorf("%s (%d) is %s at the end", row.FullName, row.ID, row.State)
		}
	}
	return nil
}

// check holds reasons against the table of codes.
func check(row *trowel.Task, reasons []reason.Reason) error {
	wanted := row.State != trowel.TaskRunning && !row.State.Done()
	if wanted != (len(reasons) > 0) {
		return fmt.Errorf("%d reasons", len(reasons))
	}
	last := -1
	for _, r := range reasons {
		place := -1
		for i, e := range reason.Codes() {
			if e.Code == r.Code && (e.State == row.State || r.Code == trowel.WaitCanceling) {
				place = i
			}
		}
		if place < 0 {
			return fmt.Errorf("code %q is not one of its state", r.Code)
		}
		if place < last {
			return fmt.Errorf("code %q is out of its order", r.Code)
		}
		last = place
		if r.Text == "" || r.Fields == nil || r.Since.IsZero() {
			return fmt.Errorf("code %q: %+v lacks something", r.Code, r)
		}
		if r.Code == trowel.WaitParent && r.Next == 0 {
			return fmt.Errorf("nothing holds it up: %s", r.Text)
		}
	}
	return nil
}

// facts are those of an attempt with these tasks, with one idle agent and no limits.
func facts(rows ...*trowel.Task) *reason.Facts {
	tree := reason.NewTree()
	for _, row := range rows {
		tree.Add(row.Outline())
	}
	return &reason.Facts{
		Now: at(100), Project: "p", Attempt: &trowel.Attempt{ID: 7, Zone: "UTC", CreatedAt: at(0)},
		Workflow: trowel.WorkflowName{ProjectID: 1, Name: "w"}, Tree: tree,
		Market: &reason.Market{Agents: []*trowel.Agent{{ID: "a1", Name: "one", LeaseEnds: at(1e9)}}},
	}
}

func at(seconds int64) time.Time { return time.Unix(1705276800+seconds, 0).UTC() }
