package cli

import (
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// Topics by which servers on one database wake each other: "attempts 1 2 3" and "schedules".
const (
	topicAttempts  = "attempts"
	topicSchedules = "schedules"
	// topicIDs is how many ids a message has at most; with more it has none, which means that those who
	// hear it look for themselves.
	topicIDs = 200
)

func attemptsTopic(ids []trowel.AttemptID) string {
	if len(ids) > topicIDs {
		return topicAttempts
	}
	var b strings.Builder
	b.WriteString(topicAttempts)
	for _, id := range ids {
		b.WriteByte(' ')
		b.WriteString(strconv.FormatInt(int64(id), 10))
	}
	return b.String()
}

// heard does what a message of a server asks for; those of this one come as well.
func (p *serverProcess) heard(message string) {
	topic, rest, _ := strings.Cut(message, " ")
	switch topic {
	case topicSchedules, "": // nobody knows what was missed
		if p.scheduler != nil {
			p.scheduler.Wake()
		}
	case topicAttempts:
		var ids []trowel.AttemptID
		for text := range strings.FieldsSeq(rest) {
			if id, err := strconv.ParseInt(text, 10, 64); err == nil {
				ids = append(ids, trowel.AttemptID(id))
			}
		}
		p.flusher.Changed(ids...)
		if p.scheduler != nil {
			p.scheduler.AttemptsEnded()
		}
	}
}
