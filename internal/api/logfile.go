package api

import (
	"encoding/json"
	"strings"
)

// LogFile is RestLogFileHandle.
type LogFile struct {
	FileName  string     `json:"fileName"`
	FileSize  int64      `json:"fileSize"` // compressed size in bytes
	TaskName  string     `json:"taskName"` // full name of the task
	FileTime  Instant    `json:"fileTime"` // when the file was begun
	AgentID   string     `json:"agentId"`
	DirectURL *DirectURL `json:"direct"` // null if the file is fetched from the server
}

// LogFileCollection is RestLogFileHandleCollection.
type LogFileCollection struct {
	Files List[LogFile] `json:"files"`
}

// DirectURL is a signed URL that needs no further headers. The older form {"url": "..."} is read,
// too (server 2.3).
type DirectURL string

// UnmarshalJSON reads either form.
func (u *DirectURL) UnmarshalJSON(data []byte) error {
	if !strings.HasPrefix(string(data), "{") {
		return json.Unmarshal(data, (*string)(u))
	}
	var older struct {
		URL string `json:"url"`
	}
	err := json.Unmarshal(data, &older)
	*u = DirectURL(older.URL)
	return err
}
