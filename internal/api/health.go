package api

// HealthReport is the document of the server's health (docs/rest.md, Health). Only readers get its parts and agents.
type HealthReport struct {
	OK     bool             `json:"ok"`
	Parts  List[HealthPart] `json:"parts,omitempty"`
	Agents *HealthAgents    `json:"agents,omitempty"`
}

// HealthLive is the document of a server that answers.
type HealthLive struct {
	OK bool `json:"ok"`
}

// HealthPart is one part.
type HealthPart struct {
	Name      string  `json:"name"`
	OK        bool    `json:"ok"`
	Since     string  `json:"since"`
	Message   *string `json:"message"`
	LatencyMS *int64  `json:"latencyMs"` // how long the check took
}

// HealthAgents counts agents by how they are: late ones missed a heartbeat, dead ones lost their
// lease.
type HealthAgents struct {
	Live int `json:"live"`
	Late int `json:"late"`
	Dead int `json:"dead"`
}
