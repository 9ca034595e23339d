package flush

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// selection has the tasks of the backlog that a transaction is to claim: they may run, by the known limits, and
// an agent has room for them. Tasks that become ready in the transaction compete with them.
type selection struct {
	slots []queue.Slot
	picks []queue.Picked
	full  []queue.Ready // to fail, see queue.Backlog.Pick
}

// any reports whether there is something to claim, or to fail.
func (s *selection) any() bool { return len(s.picks)+len(s.full) > 0 }

// attempts lists the attempts of the selected tasks.
func (s *selection) attempts() []trowel.AttemptID {
	ids := make([]trowel.AttemptID, 0, len(s.picks)+len(s.full))
	for i := range s.picks {
		ids = append(ids, s.picks[i].Attempt)
	}
	for i := range s.full {
		ids = append(ids, s.full[i].Attempt)
	}
	return ids
}

// only returns the first task of one attempt.
func (s *selection) only(id trowel.AttemptID) selection {
	one := selection{slots: s.slots}
	for i := range s.picks {
		if s.picks[i].Attempt == id {
			one.picks = s.picks[i : i+1]
			return one
		}
	}
	for i := range s.full {
		if s.full[i].Attempt == id {
			one.full = s.full[i : i+1]
			break
		}
	}
	return one
}
