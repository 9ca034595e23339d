package api

// AttemptItem is an attempt that a search found. Its instants have milliseconds and stand in place of those of Attempt; see
// Listed.
type AttemptItem struct {
	Attempt

	CreatedAt  string  `json:"createdAt"`
	FinishedAt *string `json:"finishedAt"` // null while it runs
}

// AttemptSearch is a page of a search.
type AttemptSearch struct {
	Items List[AttemptItem] `json:"items"`
	Next  *string           `json:"next"` // names the next page; nil on the last one
}

// Listed returns the attempt in the form of Digdag's lists.
func (i *AttemptItem) Listed() (Attempt, error) {
	a := i.Attempt
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
