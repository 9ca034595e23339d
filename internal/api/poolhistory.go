package api

// PoolHistory is the use of a pool over the last 24 hours.
type PoolHistory struct {
	StepMS int64             `json:"stepMs"` // time from one item to the next
	Items  List[PoolUseStep] `json:"items"`  // oldest first; steps without a sample are missing
}

// PoolUseStep is the use of a pool during one step, by samples that servers took.
type PoolUseStep struct {
	At          string  `json:"at"`          // the beginning of the step
	Samples     int     `json:"samples"`     // how many samples were taken
	Slots       *int    `json:"slots"`       // slots of the pool at that time; nil if it was idle
	Used        float64 `json:"used"`        // slots in use, the mean of the samples
	MostUsed    int     `json:"mostUsed"`    // the most slots in use in one sample
	Waiting     float64 `json:"waiting"`     // ready tasks, the mean of the samples
	MostWaiting int     `json:"mostWaiting"` // the most ready tasks in one sample
}
