package cli

import (
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/server"
)

// Topics by which servers on one database wake each other: "attempts 1 +2 3 !3 ^5 limits", "limits",
// "schedules" or of one "schedules ID PROJECT WORKFLOW", and "output JSON".
const (
	topicLimits    = "limits"
	topicAttempts  = "attempts"
	topicSchedules = "schedules"
	topicOutput    = "output"
	// topicIDs is how many ids a message has at most; with more it has none, which means that those who
	// hear it look for themselves.
	topicIDs = 300
)

// attemptsTopic is the message about attempts. Those with ready tasks have a plus; those that began or
// ended come again with a mark; the largest weight of tasks that became ready has a roof; the word limits
// says that something was given back.
func attemptsTopic(n *flush.News) string {
	if len(n.Attempts)+len(n.Noted) > topicIDs {
		return topicAttempts
	}
	var b strings.Builder
	b.WriteString(topicAttempts)
	for _, id := range n.Attempts {
		b.WriteByte(' ')
		if slices.Contains(n.Ready, id) {
			b.WriteByte('+')
		}
		b.WriteString(strconv.FormatInt(int64(id), 10))
	}
	for _, id := range n.Noted {
		b.WriteString(" !" + strconv.FormatInt(int64(id), 10))
	}
	if n.Weight != 0 {
		b.WriteString(" ^" + strconv.Itoa(n.Weight))
	}
	if n.Limits {
		b.WriteString(" " + topicLimits)
	}
	return b.String()
}

// readNews reads the rest of a message about attempts; false if it does not say which.
func readNews(rest string) (n flush.News, told bool) {
	for text := range strings.FieldsSeq(rest) {
		told = true
		if text == topicLimits {
			n.Limits = true
			continue
		}
		if weight, ok := strings.CutPrefix(text, "^"); ok {
			n.Weight, _ = strconv.Atoi(weight)
			continue
		}
		noted := strings.HasPrefix(text, "!")
		ready := strings.HasPrefix(text, "+")
		id, err := strconv.ParseInt(strings.TrimLeft(text, "!+"), 10, 64)
		if err != nil {
			continue
		}
		if noted {
			n.Noted = append(n.Noted, trowel.AttemptID(id))
			continue
		}
		n.Attempts = append(n.Attempts, trowel.AttemptID(id))
		if ready {
			n.Ready = append(n.Ready, trowel.AttemptID(id))
		}
	}
	return n, told
}

// heard does what a message of a server asks for; those of this one come as well.
func (p *serverProcess) heard(message string) {
	topic, rest, _ := strings.Cut(message, " ")
	switch topic {
	case "": // nobody knows what was missed
		p.flusher.Missed()
		p.wakeScheduler()
		p.events.Publish(server.Event{Missed: true})
	case topicSchedules:
		p.wakeScheduler()
		p.events.Publish(scheduleEvents(rest)...)
	case topicOutput:
		p.events.Publish(readOutput(rest)...)
	case topicLimits:
		p.flusher.LimitsChanged()
	case trowel.TopicAdmit:
		if w, ok := trowel.ParseAdmit(rest); ok {
			p.flusher.Admit(w)
		}
		p.wakeScheduler()
	case trowel.TopicAgents:
		p.parts.Go(p.agentsChanged) // nobody waits for the database here
	case topicAttempts:
		n, told := readNews(rest)
		if told {
			p.flusher.Heard(n)
		} else {
			p.flusher.Missed()
		}
		p.events.Publish(newsEvents(n, told)...)
		if p.scheduler != nil {
			p.scheduler.AttemptsEnded()
		}
	}
}

func (p *serverProcess) wakeScheduler() {
	if p.scheduler != nil {
		p.scheduler.Wake()
	}
}
