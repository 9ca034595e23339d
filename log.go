package trowel

import "context"

// LogChunk is a piece of the output of one try. Its bytes are a complete gzip member, so the chunks of a
// file, one after the other, are a gzip file.
type LogChunk struct {
	// AttemptID is the attempt of the task.
	AttemptID AttemptID

	// File is the name of the log file (server 5.1): <full task name>@<16 hex digits>.<agent>.log.gz
	File string

	// Seq is the number of the chunk in its file, from 0.
	Seq int

	// FirstLine is the number of lines before the chunk in the file.
	FirstLine int64

	// Lines is the number of line ends in the chunk.
	Lines int64

	// Offset is the number of bytes of text before the chunk in the file.
	Offset int64

	// TextBytes is the number of bytes of text in the chunk.
	TextBytes int64

	// Searched reports whether somebody has looked for lines that look like errors. Earlier versions did not.
	Searched bool

	// ErrorAt is where in the text of the chunk the last such line begins, in bytes; -1 if there is none. It means nothing
	// unless Searched is true.
	ErrorAt int64

	// DataBytes is the size of the gzip member.
	DataBytes int64

	// Data is the gzip member. Nil when it is in a blob, or was not asked for.
	Data []byte

	// BlobKey is the blob that contains the gzip member. Empty when Data has it.
	BlobKey string

	// BlobOffset is where the gzip member begins in the blob, in bytes.
	BlobOffset int64
}

// LogFile sums up the chunks of a file.
type LogFile struct {
	Name      string // the File of the chunks
	DataBytes int64  // size of the gzip file
	TextBytes int64  // size of the text
	Lines     int64  // number of line ends
	Chunks    int    // number of chunks
	BlobKey   string // the blob that has all of the file and nothing else; empty if there is none
}

// LogTx is the part of a transaction about the output of tasks.
type LogTx interface {
	// InsertLogChunks stores chunks. A chunk with the attempt, file and number of a stored one is ignored.
	InsertLogChunks(ctx context.Context, chunks []LogChunk) error
	// InsertNewLogChunks stores chunks that are most likely not stored yet. It costs less than InsertLogChunks, and fails
	// with ErrConflict if one of them is stored already.
	InsertNewLogChunks(ctx context.Context, chunks []LogChunk) error
	// ListLogFiles returns the files of an attempt whose name begins with prefix, in the order of
	// their names. It reads the chunks of these alone.
	ListLogFiles(ctx context.Context, attempt AttemptID, prefix string) ([]LogFile, error)
	// ListLogChunks returns up to limit chunks of a file from number seq on, with their data if
	// withData is true.
	ListLogChunks(ctx context.Context, attempt AttemptID, file string, seq, limit int, withData bool) ([]LogChunk, error)
	// FindErrorChunk returns the last chunk of a file before number seq, without its data, that has a line that looks like an
	// error, or was not searched for one. It is ErrNotFound if there is none.
	FindErrorChunk(ctx context.Context, attempt AttemptID, file string, seq int) (*LogChunk, error)
	// ListUnpackedLogs returns up to limit attempts that are done and have chunks with data, the
	// oldest first.
	ListUnpackedLogs(ctx context.Context, limit int) ([]AttemptID, error)
	// MoveLogChunks replaces the data of chunks by their places in blobs.
	MoveLogChunks(ctx context.Context, chunks []LogChunk) error
	// DeleteLogs deletes the chunks of an attempt, and returns the keys of the blobs that contained them.
	DeleteLogs(ctx context.Context, attempt AttemptID) ([]string, error)
}
