package launch

import (
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Plan is a stored workflow that is compiled and checked, to begin attempts of it. It is immutable and safe for
// concurrent use.
type Plan struct {
	Definition trowel.Definition
	Zone       schedule.Zone
	Tasks      []dig.Task
	Schedule   *schedule.Schedule    // nil without one
	Limits     trowel.WorkflowLimits // the limits that the workflow sets for itself

	sla *param.Map // nil without one
}

// NewPlan compiles a stored workflow and reads its schedule and its SLA (language A7, L40b, S43). Errors in the workflow
// are an ErrInvalid with Digdag's text.
func NewPlan(d trowel.Definition) (*Plan, error) {
	zone, err := schedule.ParseZone(d.Workflow.Zone)
	if err != nil {
		return nil, refused(err)
	}
	p := &Plan{Definition: d, Zone: zone}
	w := storedWorkflow(&d.Workflow, zone)
	if p.Tasks, err = w.Compile(); err != nil {
		return nil, refused(err)
	}
	if err := dig.CheckExports(p.Tasks); err != nil {
		return nil, refused(err)
	}
	if p.Schedule, err = scheduleOf(w); err != nil {
		return nil, refused(err)
	}
	if p.Limits, err = dig.ControlOf(d.Workflow.Definition); err != nil {
		return nil, refused(err)
	}
	if p.sla, err = w.SLABlock(); err == nil && p.sla != nil {
		_, err = schedule.ParseSLA(p.sla)
	}
	if err != nil {
		return nil, refused(err)
	}
	return p, nil
}

// ReadSchedule reads the schedule of a stored workflow; nil if it has none. A wrong one is an ErrInvalid.
func ReadSchedule(w *trowel.Workflow) (*schedule.Schedule, error) {
	zone, err := schedule.ParseZone(w.Zone)
	if err != nil {
		return nil, refused(err)
	}
	s, err := scheduleOf(storedWorkflow(w, zone))
	if err != nil {
		return nil, refused(err)
	}
	return s, nil
}

func storedWorkflow(w *trowel.Workflow, zone schedule.Zone) *dig.Workflow {
	stored := &dig.Workflow{Name: w.Name, Zone: zone, Definition: w.Definition, Origin: w.Origin}
	block, _ := w.Definition.Get("schedule")
	stored.Schedule, _ = block.(*param.Map)
	block, _ = w.Definition.Get("sla")
	stored.SLA, _ = block.(*param.Map)
	return stored
}

func scheduleOf(w *dig.Workflow) (*schedule.Schedule, error) {
	block, err := w.ScheduleBlock()
	if err != nil || block.Len() == 0 {
		return nil, err
	}
	return schedule.Parse(block, w.Zone)
}

// refused is the error about a workflow of which no attempt can be made.
func refused(err error) error {
	return &trowel.Error{Kind: trowel.ErrInvalid, Message: err.Error(), Hint: "mend the workflow and push it again"}
}

// Attempt returns an attempt of the workflow, with the parameters of language A8. executed is the last session that was
// executed before; zero for none (language P15).
func (p *Plan) Attempt(session time.Time, name string, params *param.Map, executed time.Time) engine.NewAttempt {
	d := &p.Definition
	at := session.Truncate(time.Second)
	params = SessionParams(params, p.Schedule, at.In(p.Zone.Location))
	if !executed.IsZero() {
		params = params.Clone()
		params.Set("last_executed_session_time", executed.In(p.Zone.Location).Format(trowel.SessionTimeLayout))
	}
	return engine.NewAttempt{
		Context: trowel.AttemptContext{
			Project: d.Project, Revision: d.Revision, Workflow: d.Workflow,
			Session: trowel.Session{ProjectID: d.Project.ID, Workflow: d.Workflow.Name, Time: at, UUID: uuid.NewString()},
			Limits:  p.Limits,
		},
		Attempt: trowel.Attempt{
			ProjectID: d.Project.ID, WorkflowID: d.Workflow.ID, Name: name, Zone: p.Zone.ID, Params: params,
		},
		Tasks: p.Tasks,
	}
}

// SLATimer returns the SLA of an attempt whose reference time is given (language S44), nil without one.
func (p *Plan) SLATimer(reference time.Time) *trowel.SLATimer {
	if p.sla == nil {
		return nil
	}
	sla, err := schedule.ParseSLA(p.sla)
	if err != nil {
		return nil // NewPlan has refused it
	}
	return &trowel.SLATimer{DueAt: sla.Due(reference, p.Zone), Config: p.sla}
}
