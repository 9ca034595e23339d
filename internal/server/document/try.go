package document

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// Try returns the document of an ended try.
func Try(t trowel.Try) api.TaskTry {
	return api.TaskTry{
		Try: t.Number, Agent: OptText(t.AgentID), ReadyAt: OptInstant(t.ReadyAt), ClaimedAt: OptInstant(t.ClaimedAt), StartedAt: OptInstant(t.StartedAt),
		EndedAt: OptInstant(t.EndedAt), Exit: t.Exit, LastLines: t.LastLines, Links: Links([]trowel.Try{t}), Usage: Usage([]trowel.Try{t}),
	}
}

// Links returns the links of tries, each once.
func Links(tries []trowel.Try) api.List[api.Link] {
	var list api.List[api.Link]
	for i := range tries {
		for _, link := range tries[i].Links {
			if shape := (api.Link{Name: link.Name, URL: link.URL}); !slices.Contains(list, shape) {
				list = append(list, shape)
			}
		}
	}
	return list
}

// Usage returns what the commands of tries have used, one try after the other; nil if nobody measured it.
func Usage(tries []trowel.Try) *api.Usage {
	var all trowel.Usage
	for i := range tries {
		all.Add(tries[i].Usage)
	}
	if all == (trowel.Usage{}) {
		return nil
	}
	return &api.Usage{PeakMemoryBytes: all.PeakMemory, CPUTimeMs: all.CPUTime.Milliseconds(), BytesWritten: all.BytesWritten}
}
