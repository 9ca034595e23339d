package api

// PoolHistory is the use of a pool over the last 24 hours (ui.md, A42).
type PoolHistory struct {
	StepMS int64             `json:"stepMs"` // from one item to the next
	Items  List[PoolUseStep] `json:"items"`  // the oldest first; steps in which no server looked are missing
}

// PoolUseStep is the use of a pool in some minutes, of which samples were taken.
type PoolUseStep struct {
	At          string  `json:"at"`          // the beginning
	Samples     int     `json:"samples"`     // how often a server looked
	Slots       *int    `json:"slots"`       // of the pool, as it was then; nil if it was idle
	Used        float64 `json:"used"`        // slots, the mean of the samples
	MostUsed    int     `json:"mostUsed"`    // in one of them
	Waiting     float64 `json:"waiting"`     // ready tasks, the mean of the samples
	MostWaiting int     `json:"mostWaiting"` // in one of them
}
