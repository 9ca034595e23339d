package cluster

import (
	"encoding/json"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// maxOutputBytes is the largest length of a message about output.
const maxOutputBytes = 7000

// Output says which output of tasks was stored. Without tasks it may be any.
type Output struct{ Tasks []TaskOutput }

// TaskOutput is a piece of the output of a task. Its names in JSON are short, as a message has little room.
type TaskOutput struct {
	AttemptID trowel.AttemptID `json:"a"`
	Task      string           `json:"t"` // full name
	Offset    int64            `json:"o"` // of the piece, in bytes of text
	Size      int64            `json:"s"` // of all output of the task up to the end of this piece
}

// OutputOf returns the message about pieces of logs. It has the last piece of each task.
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

// PieceOf returns the part of a message about one piece of a log.
func PieceOf(c *trowel.LogChunk) TaskOutput {
	task, _, _ := strings.Cut(c.File, "@")
	return TaskOutput{AttemptID: c.AttemptID, Task: task, Offset: c.Offset, Size: c.Offset + c.TextBytes}
}

// String implements Message. The form is: output JSON. If there are too many tasks, it names none.
func (o Output) String() string {
	text, err := json.Marshal(o.Tasks)
	if err != nil || len(o.Tasks) == 0 || len(text) > maxOutputBytes {
		return wordOutput
	}
	return wordOutput + " " + string(text)
}

// parseOutput reads the JSON. If it cannot, any task may be meant.
func parseOutput(rest string) Output {
	var list []TaskOutput
	if err := json.Unmarshal([]byte(rest), &list); err != nil || len(list) == 0 {
		return Output{}
	}
	return Output{list}
}
