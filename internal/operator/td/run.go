package td

import (
	"context"
	"math/big"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

const invalidReference = "Invalid saved query reference: %s" // operators 8.3

// savedQuery is td_run> (operators 8.3).
type savedQuery struct {
	plain
	results   resultOptions
	reference param.Value // a number is an id, a text is a name
	at        time.Time
}

func (s *savedQuery) read(_ context.Context, t *task) (err error) {
	value, found := t.params.Value("_command")
	if !found {
		return param.Missing("_command")
	}
	s.reference, s.at = value, t.sessionTime()
	if own, _ := t.params.Value("session_time"); own != nil {
		if s.at, err = operator.ReadInstant(t.params, "session_time"); err != nil {
			return err
		}
	}
	return s.results.read(t)
}

func (s *savedQuery) begin(ctx context.Context, t *task, domainKey string) (string, error) {
	switch reference := s.reference.(type) {
	case string:
		return t.client.SavedQuery(ctx, reference, s.at, domainKey)
	case int64:
		return t.client.SavedQueryByID(ctx, reference, s.at, domainKey)
	case *big.Int:
		return "", param.Errorf(invalidReference, reference)
	default:
		return "", param.Errorf(invalidReference, param.JSON(reference))
	}
}

func (s *savedQuery) finish(ctx context.Context, t *task, id string) (operator.Outcome, error) {
	return s.results.finish(ctx, t, id, func(_ context.Context, _ *task, id string) (string, error) { return id, nil })
}
