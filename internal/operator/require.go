package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of language O19, O20 and O24.
const (
	requireRerunOn   = "invalid rerun_on option:%s"
	requireProjects  = "Both project_id and project_name can't be set"
	requireBlankName = "Validating attempt request failed\nretry attempt name must not be blank: %s"
	requireMissing   = "Dependent workflow does not exist. %s, workflowName:%s"
	requireFailed    = "Dependent workflow failed. Session id: %d, attempt id: %d"
)

// Keys in the state of require> (operators 2.3), which people see.
const (
	requireFinished  = "task_finish_success"
	requireKicked    = "require_kicked"
	requireSession   = "target_session_id"
	requireAttempt   = "target_attempt_id"
	requireRerunName = "rerun_on_retry_attempt_name"
	requirePolls     = "retry"
)

// requireLongestPoll is the longest time between polls, which doubles from one second (language O21).
const requireLongestPoll = 10 * time.Second

// runRequire makes sure that another workflow has an attempt for a session time, and waits for it
// (operators 2.3, language O19 to O26a). Each run tries to start the attempt again and learns its state from the
// conflict, so a run may be repeated at any time.
func runRequire(ctx context.Context, r *Request) (Outcome, error) {
	options, err := readRequire(r)
	if err != nil {
		return Outcome{}, err
	}
	state := param.NewReader(r.State)
	if r.State.Has(requireFinished) {
		return requireVerdict(state)
	}
	if options.project, err = readProject(r); err != nil {
		return Outcome{}, err
	}
	if err := checkAttemptName(options); err != nil {
		return Outcome{}, err
	}
	missing := &Failure{Message: fmt.Sprintf(requireMissing, options.project, options.workflow)}
	if options.project.byName && options.project.name == "" {
		return Outcome{}, missing
	}
	started, err := r.Sessions.StartSession(ctx, StartRequest{
		ProjectID:   options.project.id,
		ProjectName: options.project.name,
		Workflow:    options.workflow,
		SessionTime: options.at,
		AttemptName: options.attemptName,
		Params:      options.params,
		Requirer:    r.Lease.AttemptID,
	})
	if errors.Is(err, trowel.ErrNotFound) {
		return Outcome{}, missing
	}
	if err != nil {
		return Outcome{}, err
	}
	return requireAfterStart(r.State, started, options)
}

// requireAfterStart says how to go on after an attempt was made or found.
func requireAfterStart(last *param.Map, found StartedSession, options requireOptions) (Outcome, error) {
	state := last.Clone()
	state.Set(requireSession, int64(found.SessionID))
	state.Set(requireAttempt, int64(found.AttemptID))
	if found.New {
		state.Set(requireKicked, true)
		return requirePoll(state, 0)
	}
	if found.Flags&trowel.AttemptDone == 0 {
		return requirePoll(state, 0)
	}
	kicked, err := param.NewReader(last).BoolOr(requireKicked, false)
	if err != nil {
		return Outcome{}, err
	}
	succeeded := found.Flags&trowel.AttemptSuccess != 0
	if !kicked && options.reruns(succeeded) {
		state = last.Clone()
		state.Set(requireRerunName, uuid.NewString())
		return requirePoll(state, 0)
	}
	state.Set(requireFinished, succeeded || options.ignoreFailure)
	return requirePoll(state, time.Second)
}

// requirePoll counts a poll in the state and asks for the next run: after the given time, or, if that is
// zero, after a time that doubles with each poll.
func requirePoll(state *param.Map, after time.Duration) (Outcome, error) {
	polls, err := param.NewReader(state).IntOr(requirePolls, 0)
	if err != nil {
		return Outcome{}, err
	}
	if after == 0 {
		after = min(time.Second<<min(polls, 10), requireLongestPoll)
	}
	state.Set(requirePolls, int64(polls+1))
	return Poll(after, state)
}

// requireVerdict ends the task as the poll before this run has decided.
func requireVerdict(state *param.Reader) (Outcome, error) {
	succeeded, err := state.Bool(requireFinished)
	if err != nil {
		return Outcome{}, err
	}
	if succeeded {
		return Success()
	}
	session, err := state.LongOr(requireSession, 0)
	if err != nil {
		return Outcome{}, err
	}
	attempt, err := state.LongOr(requireAttempt, 0)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{}, &Failure{Message: fmt.Sprintf(requireFailed, session, attempt)}
}

type requireOptions struct {
	workflow      string
	at            time.Time
	ignoreFailure bool
	rerunOn       string
	attemptName   string
	named         bool // attemptName was given, even if it is empty
	params        *param.Map
	project       requireProject
}

// reruns reports whether a finished attempt that somebody else started is repeated.
func (o *requireOptions) reruns(succeeded bool) bool {
	return o.rerunOn == "all" || o.rerunOn == "failed" && !succeeded
}

func readRequire(r *Request) (o requireOptions, err error) {
	if o.workflow, err = r.Params.String("_command"); err != nil {
		return o, err
	}
	if o.at, err = ReadInstant(r.Params, "session_time"); err != nil {
		return o, err
	}
	if o.ignoreFailure, err = r.Params.BoolOr("ignore_failure", false); err != nil {
		return o, err
	}
	if o.rerunOn, err = r.Params.StringOr("rerun_on", "none"); err != nil {
		return o, err
	}
	switch o.rerunOn {
	case "none", "failed", "all":
	default:
		return o, param.Errorf(requireRerunOn, o.rerunOn)
	}
	names, nameKey := r.Local, "retry_attempt_name"
	if r.State.Has(requireRerunName) {
		names, nameKey = r.State, requireRerunName
	}
	if o.attemptName, o.named, err = optLocalString(names, nameKey); err != nil {
		return o, err
	}
	if o.params, err = r.Params.OptMap("params"); err != nil {
		return o, err
	}
	if o.params == nil {
		o.params = param.New()
	}
	return o, nil
}

func checkAttemptName(o requireOptions) error {
	if !o.named || strings.TrimSpace(o.attemptName) != "" {
		return nil
	}
	message := fmt.Sprintf(requireBlankName, param.JSON(o.attemptName))
	return &Error{Kind: kindModelValidation, Message: message}
}

// requireProject is a project by its id or name.
type requireProject struct {
	id     trowel.ProjectID
	name   string
	byName bool
}

func (p requireProject) String() string {
	if p.byName {
		return "projectName: " + p.name
	}
	return fmt.Sprintf("projectId: %d", p.id)
}

// readProject reads the project of the workflow. Only own keys count (language O19). Without
// them it is the task's own project.
func readProject(r *Request) (p requireProject, err error) {
	own, err := r.Params.Int("project_id")
	if err != nil {
		return p, err
	}
	p.id = trowel.ProjectID(own)
	name, hasName, err := optLocalString(r.Local, "project_name")
	if err != nil {
		return p, err
	}
	raw, _ := r.Local.Get("project_id")
	if raw == nil {
		p.name, p.byName = name, hasName
		return p, nil
	}
	id, ok := param.AsInt(raw)
	switch {
	case !ok:
		return p, param.WrongType("project_id", param.OptionalType("java.lang.Integer"), raw)
	case hasName:
		return p, param.Errorf(requireProjects)
	}
	p.id = trowel.ProjectID(id)
	return p, nil
}

func optLocalString(m *param.Map, key string) (text string, present bool, err error) {
	raw, _ := m.Get(key)
	if raw == nil {
		return "", false, nil
	}
	text, ok := param.AsString(raw)
	if !ok {
		return "", true, param.WrongType(key, param.OptionalType("java.lang.String"), raw)
	}
	return text, true, nil
}
