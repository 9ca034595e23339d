package api

import "github.com/trowel-project/trowel/internal/param"

// What a remote agent and a server say to each other. Both are Trowel's own programs, so ids are plain
// numbers, and maps are as they are merged. Of time the agent tells only how long ago a thing was, and how
// long it took: its clock decides nothing.

// AgentProtocol is the version of this conversation. A server speaks with agents of the same one.
const AgentProtocol = "1"

// AgentProtocolHeader is the header of each request of an agent that has its AgentProtocol.
const AgentProtocolHeader = "Trowel-Agent-Protocol"

// AgentRegistration is what an agent says of itself when it begins.
type AgentRegistration struct {
	Name    string       `json:"name"`
	Host    string       `json:"host"`
	Version string       `json:"version"`
	Queues  List[string] `json:"queues"` // empty for the default one
	Labels  List[string] `json:"labels"`
	Slots   int          `json:"slots"` // 1 or more
}

// AgentRegistered is what it must know from then on. Lengths are milliseconds.
type AgentRegistered struct {
	ID             string `json:"id"`
	Server         string `json:"server"` // version of the server
	HeartbeatMs    int64  `json:"heartbeatMs"`
	LeaseMs        int64  `json:"leaseMs"`
	KeepAliveMs    int64  `json:"keepAliveMs"` // the stream of leases is never silent for longer
	NowMicros      int64  `json:"nowMicros"`   // the server's clock, microseconds since 1970
	TaskLimit      int    `json:"taskLimit"`   // tasks that an attempt may have
	MaxReportBytes int64  `json:"maxReportBytes"`
}

// AgentTry names one execution of one task.
type AgentTry struct {
	TaskID int64 `json:"taskId"`
	Try    int   `json:"try"`
}

// AgentHeld is what an agent has: tries that run, and such as have ended and whose reports were not
// answered.
type AgentHeld struct {
	Tries List[AgentTry] `json:"tries"`
	// Resting tells that it takes nothing new, as it is about to end, or for a Reason that may pass.
	Resting bool   `json:"resting"`
	Reason  string `json:"reason,omitempty"`
}

// AgentBeat is the answer to a heartbeat: the lease is renewed.
type AgentBeat struct {
	NowMicros int64          `json:"nowMicros"`
	Lost      List[AgentTry] `json:"lost"` // held, but not the agent's: to be ended at once
}

// AgentMessage is one line of the stream of leases. One with nothing in it keeps the connection alive.
type AgentMessage struct {
	Leases []AgentLease `json:"leases,omitempty"`
	Cancel []AgentTry   `json:"cancel,omitempty"` // killed by people, to be ended in an orderly way
	Lost   []AgentTry   `json:"lost,omitempty"`   // not the agent's any more, to be ended at once
	// Drained tells that the agent gets nothing new until it is told the opposite.
	Drained *bool `json:"drained,omitempty"`
	// Leave asks the agent to go to another server, if it knows one.
	Leave bool `json:"leave,omitempty"`
}

// AgentLease is a lease. Instants are microseconds since 1970, 0 for none.
type AgentLease struct {
	TaskID      int64        `json:"taskId"`
	AttemptID   int64        `json:"attemptId"`
	Try         int          `json:"try"`
	FullName    string       `json:"fullName"`
	ProjectID   int64        `json:"projectId"`
	Project     string       `json:"project"`
	RevisionID  int64        `json:"revisionId"`
	Revision    string       `json:"revision"`
	Archive     AgentArchive `json:"archive"`
	WorkflowID  int64        `json:"workflowId"`
	Workflow    string       `json:"workflow"`
	SessionID   int64        `json:"sessionId"`
	SessionTime int64        `json:"sessionTime"`
	SessionUUID string       `json:"sessionUuid"`
	Attempt     AgentAttempt `json:"attempt"`
	Zone        string       `json:"zone"`
	Scope       *param.Map   `json:"scope"`
	Local       *param.Map   `json:"local"`
	State       *param.Map   `json:"state"`
	RetryCount  int          `json:"retryCount"`
	StartedAt   int64        `json:"startedAt"`
}

// AgentArchive says which archive has the files of a revision.
type AgentArchive struct {
	Type      string `json:"type"`
	Key       string `json:"key"`
	MD5       []byte `json:"md5"`
	SizeBytes int64  `json:"sizeBytes"`
}

// AgentAttempt is what names of logs have of an attempt.
type AgentAttempt struct {
	Name      string `json:"name"`
	CreatedAt int64  `json:"createdAt"`
}

// AgentReports are the ends of tries.
type AgentReports struct {
	Reports []AgentReport `json:"reports"`
	// Resting tells that the agent takes nothing new; heartbeats tell when it goes on. So what it gives back
	// does not come again at once.
	Resting bool `json:"resting,omitempty"`
}

// Outcomes of an AgentReport.
const (
	AgentSuccess  = "success"
	AgentPoll     = "poll"
	AgentRetry    = "retry"
	AgentFailure  = "failure"
	AgentReleased = "released"
)

// AgentReport is the end of a try. Lengths are microseconds.
type AgentReport struct {
	TaskID        int64           `json:"taskId"`
	AttemptID     int64           `json:"attemptId"`
	Try           int             `json:"try"`
	Outcome       string          `json:"outcome"`
	Result        *AgentResult    `json:"result,omitempty"`
	RetryInMicros int64           `json:"retryInMicros,omitempty"`
	State         *param.Map      `json:"state,omitempty"`
	Error         *param.Map      `json:"error,omitempty"`
	Masked        []string        `json:"masked,omitempty"` // places of result and state that are not to be shown: "store/db/0"
	Ran           bool            `json:"ran"`              // it had begun
	RanMicros     int64           `json:"ranMicros,omitempty"`
	EndedAgo      int64           `json:"endedAgoMicros,omitempty"` // when the report was sent
	LastLines     []string        `json:"lastLines,omitempty"`
	Logs          []AgentLogChunk `json:"logs,omitempty"`
}

// AgentResult is what a successful try leaves behind.
type AgentResult struct {
	Subtasks  *param.Map `json:"subtasks,omitempty"`
	Export    *param.Map `json:"export,omitempty"`
	ResetKeys []string   `json:"resetKeys,omitempty"`
	Store     *param.Map `json:"store,omitempty"`
	Origin    string     `json:"origin,omitempty"` // where subtasks are written, as servers store it
}

// AgentLogChunk is a piece of the output of a try, a whole gzip member.
type AgentLogChunk struct {
	AttemptID int64  `json:"attemptId"`
	File      string `json:"file"`
	Seq       int    `json:"seq"`
	FirstLine int64  `json:"firstLine"`
	Lines     int64  `json:"lines"`
	Offset    int64  `json:"offset"`
	TextBytes int64  `json:"textBytes"`
	Data      []byte `json:"data"`
}

// AgentLogs are pieces of output of running tries.
type AgentLogs struct {
	Chunks []AgentLogChunk `json:"chunks"`
}

// AgentAnswers say what became of each report, in their order.
type AgentAnswers struct {
	Answers []AgentAnswer `json:"answers"`
}

// AgentAnswer says what became of a report: 200 when it is stored, 409 when the try is not the agent's, 400
// when it makes no sense, 503 when it is to be sent again later.
type AgentAnswer struct {
	TaskID  int64  `json:"taskId"`
	Try     int    `json:"try"`
	Status  int    `json:"status"`
	Message string `json:"message,omitempty"`
}

// AgentSecretRequest asks for a secret on behalf of a running try.
type AgentSecretRequest struct {
	AgentTry

	AttemptID int64  `json:"attemptId,omitempty"` // of the task; may be missing
	Key       string `json:"key"`
}

// AgentSecret is the answer.
type AgentSecret struct {
	Found bool   `json:"found"`
	Value string `json:"value,omitempty"`
}

// AgentSessionRequest asks for an attempt of a workflow on behalf of a running try.
type AgentSessionRequest struct {
	Requirer    int64      `json:"requirer"` // attempt of the try
	ProjectID   int64      `json:"projectId"`
	ProjectName string     `json:"projectName"`
	Workflow    string     `json:"workflow"`
	SessionTime int64      `json:"sessionTime"` // microseconds since 1970
	AttemptName string     `json:"attemptName"`
	Params      *param.Map `json:"params"`
}

// AgentSession is the attempt that was made, or that existed.
type AgentSession struct {
	Missing   bool   `json:"missing,omitempty"` // there is no such project or workflow
	Failure   string `json:"failure,omitempty"` // why there is none, in Digdag's words
	New       bool   `json:"new"`
	SessionID int64  `json:"sessionId"`
	AttemptID int64  `json:"attemptId"`
	Flags     int    `json:"flags"`
}

// AgentParams are values of the param server.
type AgentParams struct {
	Values map[string]string `json:"values"`
}

// AgentParamKeys asks for values of the param server.
type AgentParamKeys struct {
	Keys []string `json:"keys"`
}

// AgentDone is an empty answer.
type AgentDone struct{}
