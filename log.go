package trowel

import "context"

// LogChunk is a piece of the output of one try. Its bytes are a whole gzip member, so that the
// chunks of a file in a row are a gzip file.
type LogChunk struct {
	AttemptID AttemptID
	File      string // name of the log file (server 5.1): <full task name>@<16 hex digits>.<agent>.log.gz
	Seq       int    // from 0
	FirstLine int64  // number of lines before it in the file
	Lines     int64  // number of line ends in it
	Offset    int64  // bytes of text before it in the file
	TextBytes int64  // bytes of text in it
	DataBytes int64  // bytes of its gzip member
	Data      []byte // nil when they are in a blob
	// BlobKey and BlobOffset say where the bytes are when they are not in Data.
	BlobKey    string
	BlobOffset int64
}

// LogFile sums up the chunks of a file.
type LogFile struct {
	Name      string
	DataBytes int64
	TextBytes int64
	Lines     int64
	Chunks    int
	BlobKey   string // of the blob that has all of the file and nothing else; empty if there is none
}

// LogTx is the part of a transaction about the output of tasks.
type LogTx interface {
	// InsertLogChunks stores chunks. One that is there already, with the same attempt, file and
	// number, is left as it is.
	InsertLogChunks(ctx context.Context, chunks []LogChunk) error
	// ListLogFiles returns the files of an attempt whose name begins with prefix, in the order of
	// their names.
	ListLogFiles(ctx context.Context, attempt AttemptID, prefix string) ([]LogFile, error)
	// ListLogChunks returns up to limit chunks of a file from number seq on, with their data if
	// withData is true.
	ListLogChunks(ctx context.Context, attempt AttemptID, file string, seq, limit int, withData bool) ([]LogChunk, error)
	// ListUnpackedLogs returns up to limit attempts that are done and have chunks with data, the
	// oldest first.
	ListUnpackedLogs(ctx context.Context, limit int) ([]AttemptID, error)
	// MoveLogChunks replaces the data of chunks by their places in blobs.
	MoveLogChunks(ctx context.Context, chunks []LogChunk) error
	// DeleteLogs deletes the chunks of an attempt and returns the keys of the blobs that they were in.
	DeleteLogs(ctx context.Context, attempt AttemptID) ([]string, error)
}
