package api

import "github.com/trowel-project/trowel/internal/param"

// This file has what a remote agent and a server say to each other. Both are Trowel's own programs, so ids are plain
// numbers, and maps are sent as they are. The agent never sends an instant, only how long ago something was or how
// long it took, so its clock decides nothing.

// AgentProtocol is the version of this conversation. A server only talks to agents with the same version.
const AgentProtocol = "2"

// AgentProtocolHeader is the header with the AgentProtocol in each request of an agent.
const AgentProtocolHeader = "Trowel-Agent-Protocol"

// AgentRegistration is what an agent says about itself when it registers.
type AgentRegistration struct {
	Name    string       `json:"name"`
	Host    string       `json:"host"`
	Version string       `json:"version"`
	Queues  List[string] `json:"queues"` // empty for the default queue alone
	Labels  List[string] `json:"labels"`
	Slots   int          `json:"slots"`            // 1 or more
	Limits  *KeptLimits  `json:"limits,omitempty"` // limits of commands that it keeps; nil for none
}

// AgentRegistered is the answer to a registration: what the agent must know from then on.
type AgentRegistered struct {
	ID             string `json:"id"`             // the agent's id from now on
	Server         string `json:"server"`         // version of the server
	HeartbeatMs    int64  `json:"heartbeatMs"`    // time between two heartbeats, in milliseconds
	LeaseMs        int64  `json:"leaseMs"`        // how long a lease lasts after a heartbeat, in milliseconds
	KeepAliveMs    int64  `json:"keepAliveMs"`    // the longest silence of the stream of leases, in milliseconds
	NowMicros      int64  `json:"nowMicros"`      // the server's clock, microseconds since 1970
	TaskLimit      int    `json:"taskLimit"`      // the largest number of tasks in an attempt
	MaxReportBytes int64  `json:"maxReportBytes"` // the largest body of reports
}

// AgentTry names one try.
type AgentTry struct {
	TaskID int64 `json:"taskId"`
	Try    int   `json:"try"` // number of the try, from 1
}

// AgentHeld is what an agent has at the moment.
type AgentHeld struct {
	Tries   List[AgentTry] `json:"tries"`            // tries that run, or have ended and whose reports are not answered yet
	Resting bool           `json:"resting"`          // the agent takes nothing new, as it is about to end or for a Reason that may pass
	Reason  string         `json:"reason,omitempty"` // why it takes nothing new; empty if it is about to end
}

// AgentBeat is the answer to a heartbeat: the lease is renewed.
type AgentBeat struct {
	NowMicros int64          `json:"nowMicros"` // the server's clock, microseconds since 1970
	Lost      List[AgentTry] `json:"lost"`      // tries that are no longer the agent's, to be ended at once
}

// AgentMessage is one line of the stream of leases. An empty one keeps the connection alive.
type AgentMessage struct {
	Leases  []AgentLease `json:"leases,omitempty"`  // new tries for the agent
	Cancel  []AgentTry   `json:"cancel,omitempty"`  // tries that people killed, to be ended in an orderly way
	Lost    []AgentTry   `json:"lost,omitempty"`    // tries that are no longer the agent's, to be ended at once
	Drained *bool        `json:"drained,omitempty"` // whether the agent is to get nothing new; nil if that has not changed
	Leave   bool         `json:"leave,omitempty"`   // the agent should go to another server, if it knows one
}

// AgentLease is a lease. Its fields are those of trowel.Lease. Instants are microseconds since 1970, 0 for none.
type AgentLease struct {
	TaskID      int64          `json:"taskId"`
	AttemptID   int64          `json:"attemptId"`
	Try         int            `json:"try"`
	FullName    string         `json:"fullName"`
	ProjectID   int64          `json:"projectId"`
	Project     string         `json:"project"`
	RevisionID  int64          `json:"revisionId"`
	Revision    string         `json:"revision"`
	Archive     AgentArchive   `json:"archive"`
	WorkflowID  int64          `json:"workflowId"`
	Workflow    string         `json:"workflow"`
	SessionID   int64          `json:"sessionId"`
	SessionTime int64          `json:"sessionTime"` // microseconds since 1970
	SessionUUID string         `json:"sessionUuid"`
	Attempt     AgentAttempt   `json:"attempt"`
	Zone        string         `json:"zone"`             // id of the attempt's time zone
	Scope       *param.Map     `json:"scope"`            // what templates see, not evaluated
	Local       *param.Map     `json:"local"`            // the task's own keys, not evaluated
	State       *param.Map     `json:"state"`            // what the operator kept at the end of its last try
	RetryCount  int            `json:"retryCount"`       // how often the task was woken up for a retry or poll
	Job         bool           `json:"job"`              // State names a job that goes on outside
	Cancel      bool           `json:"cancel"`           // the try does nothing but cancel that job
	StartedAt   int64          `json:"startedAt"`        // when the first try was claimed
	Limits      *CommandLimits `json:"limits,omitempty"` // limits of commands that the task asks for; nil for none
}

// AgentArchive says where the files of a revision are.
type AgentArchive struct {
	Type      string `json:"type"`      // kind of storage, or "none"
	Key       string `json:"key"`       // key of the blob
	MD5       []byte `json:"md5"`       // hash of the blob; nil with "none"
	SizeBytes int64  `json:"sizeBytes"` // size of the blob; negative if unknown
}

// AgentAttempt has the parts of an attempt that are in the names of its logs.
type AgentAttempt struct {
	Name      string `json:"name"`      // empty for the unnamed attempt
	CreatedAt int64  `json:"createdAt"` // microseconds since 1970
}

// AgentReports are the ends of tries.
type AgentReports struct {
	Reports []AgentReport `json:"reports"`
	Resting bool          `json:"resting,omitempty"` // the agent takes nothing new until a heartbeat says otherwise, so what it gives back does not return at once
}

// Outcomes of an AgentReport.
const (
	AgentSuccess  = "success"
	AgentPoll     = "poll"
	AgentRetry    = "retry"
	AgentFailure  = "failure"
	AgentReleased = "released"
)

// AgentReport is the end of a try.
type AgentReport struct {
	TaskID        int64           `json:"taskId"`
	AttemptID     int64           `json:"attemptId"`
	Try           int             `json:"try"`
	Outcome       string          `json:"outcome"`                  // one of the outcomes above
	Result        *AgentResult    `json:"result,omitempty"`         // of a success
	RetryInMicros int64           `json:"retryInMicros,omitempty"`  // time until the next try, after a poll or retry
	State         *param.Map      `json:"state,omitempty"`          // what the operator keeps for its next try
	Error         *param.Map      `json:"error,omitempty"`          // error object of a failure or retry
	Job           bool            `json:"job,omitempty"`            // State names a job that goes on outside; after a failure, one that could not be canceled
	Links         []Link          `json:"links,omitempty"`          // pages about what the try has started or used outside
	Usage         *Usage          `json:"usage,omitempty"`          // what its commands have used
	Masked        []string        `json:"masked,omitempty"`         // places in result and state that contain secrets, such as "store/db/0"
	Ran           bool            `json:"ran"`                      // the agent had begun to run the task
	RanMicros     int64           `json:"ranMicros,omitempty"`      // how long it ran
	EndedAgo      int64           `json:"endedAgoMicros,omitempty"` // microseconds between the end of the try and the sending of the report
	LastLines     []string        `json:"lastLines,omitempty"`      // last lines of output of a failure or retry, at most 20
	Logs          []AgentLogChunk `json:"logs,omitempty"`           // pieces of output that were not sent before
}

// AgentResult is what a successful try leaves behind. Its fields are those of trowel.Result.
type AgentResult struct {
	Subtasks  *param.Map `json:"subtasks,omitempty"`
	Export    *param.Map `json:"export,omitempty"`
	ResetKeys []string   `json:"resetKeys,omitempty"`
	Store     *param.Map `json:"store,omitempty"`
	Origin    string     `json:"origin,omitempty"` // where Subtasks is written, in the form that servers store
}

// AgentLogChunk is a piece of the output of a try. Its fields are those of trowel.LogChunk.
type AgentLogChunk struct {
	AttemptID int64  `json:"attemptId"`
	File      string `json:"file"`
	Seq       int    `json:"seq"`
	FirstLine int64  `json:"firstLine"`
	Lines     int64  `json:"lines"`
	Offset    int64  `json:"offset"`
	TextBytes int64  `json:"textBytes"`
	ErrorAt   *int64 `json:"errorAt,omitempty"` // missing if nobody has searched
	Data      []byte `json:"data"`              // a complete gzip member
}

// AgentLogs are pieces of output of running tries.
type AgentLogs struct {
	Chunks []AgentLogChunk `json:"chunks"`
}

// AgentAnswers says what became of each report, in the order of the reports.
type AgentAnswers struct {
	Answers []AgentAnswer `json:"answers"`
}

// AgentAnswer says what became of a report: 200 when it is stored, 409 when the try is not the agent's, 400
// when it makes no sense, 503 when it is to be sent again later.
type AgentAnswer struct {
	TaskID  int64  `json:"taskId"`
	Try     int    `json:"try"`
	Status  int    `json:"status"`
	Message string `json:"message,omitempty"` // what is wrong; empty with status 200
}

// AgentSecretRequest asks for a secret on behalf of a running try.
type AgentSecretRequest struct {
	AgentTry

	AttemptID int64  `json:"attemptId,omitempty"` // the attempt of the task; may be missing
	Key       string `json:"key"`
}

// AgentSecret is the answer to an AgentSecretRequest.
type AgentSecret struct {
	Found bool   `json:"found"`
	Value string `json:"value,omitempty"` // empty if there is no such secret
}

// AgentSessionRequest asks for an attempt of a workflow on behalf of a running try.
type AgentSessionRequest struct {
	Requirer    int64      `json:"requirer"` // the attempt of the running try
	ProjectID   int64      `json:"projectId"`
	ProjectName string     `json:"projectName"`
	Workflow    string     `json:"workflow"`
	SessionTime int64      `json:"sessionTime"` // microseconds since 1970
	AttemptName string     `json:"attemptName"` // empty for the unnamed attempt
	Params      *param.Map `json:"params"`
}

// AgentSession is the attempt that was made, or that the session had already.
type AgentSession struct {
	Missing   bool   `json:"missing,omitempty"` // there is no such project or workflow
	Failure   string `json:"failure,omitempty"` // why there is no attempt, in Digdag's words
	New       bool   `json:"new"`               // the attempt was made by this request
	SessionID int64  `json:"sessionId"`
	AttemptID int64  `json:"attemptId"`
	Flags     int    `json:"flags"` // bits of trowel.AttemptFlags
}

// AgentParams are values of the param server.
type AgentParams struct {
	Values map[string]string `json:"values"` // by their keys; keys without a value are missing
}

// AgentParamKeys asks for values of the param server.
type AgentParamKeys struct {
	Keys []string `json:"keys"`
}

// AgentDone is an empty answer.
type AgentDone struct{}
