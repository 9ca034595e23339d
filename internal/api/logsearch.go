package api

// LogSearch is what a search found in a part of the output of tasks. Offsets count bytes of uncompressed text.
type LogSearch struct {
	Items     List[LogMatch] `json:"items"`     // the first of the matches
	Next      *string        `json:"next"`      // the offset at which to go on; nil if all of the output was searched
	ScannedTo int64          `json:"scannedTo"` // the offset up to which all matches are counted
	Size      int64          `json:"size"`      // of the output, as it is now
	Matches   int64          `json:"matches"`   // how many there are before scannedTo
	Done      bool           `json:"done"`      // no more output will come
}

// LogMatch is a place in output that matches.
type LogMatch struct {
	Offset int64        `json:"offset"` // of the match
	Line   int64        `json:"line"`   // from 1
	Task   *string      `json:"task"`   // the full name of the task; nil if one task was asked for
	TaskID *ID          `json:"taskId"` // its id; nil as task, or if it is not known
	Column int          `json:"column"` // of the match in text, from 0, in UTF-16 units
	Length int          `json:"length"` // of the match in text, likewise
	Text   string       `json:"text"`   // the line; of one of more than 512 bytes what is around the match
	Before List[string] `json:"before"` // up to two lines
	After  List[string] `json:"after"`  // likewise
}
