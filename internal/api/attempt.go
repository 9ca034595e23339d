package api

import (
	"fmt"

	"github.com/trowel-project/trowel/internal/param"
)

// Attempt is RestSessionAttempt.
type Attempt struct {
	Status           string     `json:"status"` // success, killed, error or running
	ID               ID         `json:"id"`
	Index            int        `json:"index"` // from 1 within the session
	Project          IDName     `json:"project"`
	Workflow         NameOptID  `json:"workflow"`
	SessionID        ID         `json:"sessionId"`
	SessionUUID      string     `json:"sessionUuid"`
	SessionTime      OffsetTime `json:"sessionTime"`      // in the attempt's zone
	RetryAttemptName *string    `json:"retryAttemptName"` // null for the unnamed attempt of a session
	Done             bool       `json:"done"`
	Success          bool       `json:"success"`
	CancelRequested  bool       `json:"cancelRequested"`
	Params           *param.Map `json:"params"` // the session parameters
	CreatedAt        Instant    `json:"createdAt"`
	FinishedAt       *Instant   `json:"finishedAt"` // null while it runs
}

// AttemptCollection is RestSessionAttemptCollection.
type AttemptCollection struct {
	Attempts List[Attempt] `json:"attempts"`
}

// AttemptRequest is RestSessionAttemptRequest: start an attempt.
type AttemptRequest struct {
	WorkflowID       ID         `json:"workflowId"`
	SessionTime      Instant    `json:"sessionTime"`
	RetryAttemptName *string    `json:"retryAttemptName"` // null for the unnamed attempt of the session
	Resume           *Resume    `json:"resume"`           // null to run everything
	Params           *param.Map `json:"params"`           // the session parameters; required
}

// UnmarshalJSON reads a request by the rules of server 2.2.
func (q *AttemptRequest) UnmarshalJSON(data []byte) error {
	r := read(data)
	*q = AttemptRequest{
		WorkflowID:       r.id("workflowId"),
		SessionTime:      r.instant("sessionTime"),
		RetryAttemptName: r.optText("retryAttemptName"),
		Params:           r.object("params"),
	}
	if r.failed() {
		return r.err
	}
	resume, err := r.fields.OptMap("resume")
	if err != nil || resume == nil {
		return err
	}
	q.Resume = &Resume{}
	return q.Resume.read(resume)
}

// Values of Resume.Mode.
const (
	ResumeFailed = "failed" // take over what succeeded
	ResumeFrom   = "from"   // take over what comes before the task From
)

// Resume says which results of another attempt to take over. Digdag's client writes mode twice.
type Resume struct {
	Mode      string `json:"mode"`
	AttemptID ID     `json:"attemptId"`
	From      string `json:"from,omitempty"` // pattern of a task (server 1.9.2), for ResumeFrom only
}

func (s *Resume) read(fields *param.Map) error {
	r := &reading{fields: param.NewReader(fields)}
	s.Mode, s.AttemptID = r.text("mode"), r.id("attemptId")
	if r.failed() {
		return r.err
	}
	switch s.Mode {
	case ResumeFailed:
	case ResumeFrom:
		s.From = r.text("from")
	default:
		return fmt.Errorf("field %q must be %q or %q, got %q", "resume.mode", ResumeFailed, ResumeFrom, s.Mode)
	}
	return r.err
}
