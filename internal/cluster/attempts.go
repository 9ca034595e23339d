package cluster

import (
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// maxIDs is the largest number of ids in a message. If there are more, the message has none.
const maxIDs = 300

// Attempts says which attempts a transaction changed.
type Attempts struct {
	Any     bool               // there are too many to name, and everything else is empty
	Changed []trowel.AttemptID // all of them
	Ready   []trowel.AttemptID // those among them that have ready tasks left, for any agent
	Noted   []trowel.AttemptID // those that began, were asked to stop, or ended; one may be in it twice
	Weight  int                // the largest weight of tasks that became ready and still are
	Limits  bool               // something was given back to a limit
}

// String implements Message. An example is "attempts 1 +2 3 !3 ^5 limits": + marks attempts with ready tasks, ! marks
// those that began or ended, which come again, and ^ marks the weight.
func (a Attempts) String() string {
	if a.Any || len(a.Changed)+len(a.Noted) > maxIDs {
		return wordAttempts
	}
	var b strings.Builder
	b.WriteString(wordAttempts)
	for _, id := range a.Changed {
		b.WriteByte(' ')
		if slices.Contains(a.Ready, id) {
			b.WriteByte('+')
		}
		b.WriteString(strconv.FormatInt(int64(id), 10))
	}
	for _, id := range a.Noted {
		b.WriteString(" !" + strconv.FormatInt(int64(id), 10))
	}
	if a.Weight != 0 {
		b.WriteString(" ^" + strconv.Itoa(a.Weight))
	}
	if a.Limits {
		b.WriteString(" " + wordLimits)
	}
	return b.String()
}

// parseAttempts reads what comes after the first word. An attempt that is named twice counts once. Words that it does not
// know are skipped. If it knows none of them, any attempt may have changed.
func parseAttempts(rest string) Attempts {
	a := Attempts{}
	for text := range strings.FieldsSeq(rest) {
		if text == wordLimits {
			a.Limits = true
			continue
		}
		if weight, ok := strings.CutPrefix(text, "^"); ok {
			a.Weight, _ = strconv.Atoi(weight)
			continue
		}
		n, err := strconv.ParseInt(strings.TrimLeft(text, "!+"), 10, 64)
		if err != nil {
			continue
		}
		id := trowel.AttemptID(n)
		if text[0] == '!' {
			a.Noted = append(a.Noted, id)
			continue
		}
		if !slices.Contains(a.Changed, id) {
			a.Changed = append(a.Changed, id)
		}
		if text[0] == '+' && !slices.Contains(a.Ready, id) {
			a.Ready = append(a.Ready, id)
		}
	}
	a.Any = len(a.Changed)+len(a.Noted) == 0 && a.Weight == 0 && !a.Limits
	return a
}
