package api

import "github.com/trowel-project/trowel/internal/param"

// AttemptItem is an attempt that a search found. Its fields are those of Attempt, but its instants have milliseconds.
type AttemptItem struct {
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
	CreatedAt        string     `json:"createdAt"`
	FinishedAt       *string    `json:"finishedAt"` // null while it runs
}

// AttemptSearch is a page of a search.
type AttemptSearch struct {
	Items List[AttemptItem] `json:"items"`
	Next  *string           `json:"next"` // names the next page; nil on the last one
}

// Attempt returns the attempt in the form of Digdag's lists.
func (i *AttemptItem) Attempt() (Attempt, error) {
	a := Attempt{
		Status: i.Status, ID: i.ID, Index: i.Index, Project: i.Project, Workflow: i.Workflow, SessionID: i.SessionID, SessionUUID: i.SessionUUID,
		SessionTime: i.SessionTime, RetryAttemptName: i.RetryAttemptName, Done: i.Done, Success: i.Success, CancelRequested: i.CancelRequested,
		Params: i.Params,
	}
	at, err := ParseInstant(i.CreatedAt)
	if err != nil {
		return a, err
	}
	a.CreatedAt = Instant{Time: at}
	if i.FinishedAt != nil {
		at, err = ParseInstant(*i.FinishedAt)
		a.FinishedAt = &Instant{Time: at}
	}
	return a, err
}
