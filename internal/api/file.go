package api

// ProjectFile is a file or link of a revision.
type ProjectFile struct {
	Path   string  `json:"path"`   // slash path from the project's folder
	Kind   string  `json:"kind"`   // "file" or "link"
	Size   int64   `json:"size"`   // in bytes
	Mode   string  `json:"mode"`   // permissions in octal, as "0644"
	MD5    *string `json:"md5"`    // of the content, in hexadecimal; nil for a link
	Binary bool    `json:"binary"` // it is no text
	Target *string `json:"target"` // of a link
}

// ProjectFileList is a page of the files of a revision, those of a folder in a row.
type ProjectFileList struct {
	Revision string            `json:"revision"` // its name
	Items    List[ProjectFile] `json:"items"`
	Next     *string           `json:"next"` // names the next page; nil on the last one
}
