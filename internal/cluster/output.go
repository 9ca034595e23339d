package cluster

import (
	"encoding/json"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// maxOutputBytes is how long a message about output is at most.
const maxOutputBytes = 7000

// Output says what tasks printed, and was stored; without tasks that some did.
type Output struct{ Tasks []TaskOutput }

// TaskOutput is a piece of the output of a task. Its fields are short in JSON, as a message has little room.
type TaskOutput struct {
	AttemptID trowel.AttemptID `json:"a"`
	Task      string           `json:"t"` // full name
	Offset    int64            `json:"o"` // of the piece, in bytes of text
	Size      int64            `json:"s"` // of all output of the task with this piece
}

// OutputOf makes the message about pieces of logs: of each task it has the last one.
func OutputOf(chunks []trowel.LogChunk) Output {
	type task struct {
		attempt trowel.AttemptID
		name    string
	}
	at := map[task]int{}
	var list []TaskOutput
	for i := range chunks {
		piece := PieceOf(&chunks[i])
		key := task{piece.AttemptID, piece.Task}
		if i, known := at[key]; known {
			list[i] = piece
			continue
		}
		at[key] = len(list)
		list = append(list, piece)
	}
	return Output{list}
}

// PieceOf is what is told of one piece of a log.
func PieceOf(c *trowel.LogChunk) TaskOutput {
	task, _, _ := strings.Cut(c.File, "@")
	return TaskOutput{AttemptID: c.AttemptID, Task: task, Offset: c.Offset, Size: c.Offset + c.TextBytes}
}

// String implements Message: output JSON. Of too many tasks it does not say which.
func (o Output) String() string {
	text, err := json.Marshal(o.Tasks)
	if err != nil || len(o.Tasks) == 0 || len(text) > maxOutputBytes {
		return wordOutput
	}
	return wordOutput + " " + string(text)
}

// parseOutput reads the JSON; if it cannot, nobody knows which tasks are meant.
func parseOutput(rest string) Output {
	var list []TaskOutput
	if err := json.Unmarshal([]byte(rest), &list); err != nil || len(list) == 0 {
		return Output{}
	}
	return Output{list}
}
