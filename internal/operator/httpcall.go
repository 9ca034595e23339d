package operator

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 2.2.
const (
	httpCallNoType   = "Content-Type must be set in the HTTP response but not set"
	httpCallBadType  = "Unsupported Content-Type (expected application/json or application/x-yaml): %s"
	httpCallBadJSON  = "Failed to parse response as JSON: %v"
	httpCallFetched  = "Fetched definition for http_call>:\n"
	httpCallFileName = "http_call.dig"
)

// runHTTPCall makes a workflow file from a server the task's subtasks (operators 2.2, language O18).
func (w *web) runHTTPCall(ctx context.Context, r *Request) (Outcome, error) {
	params, options, err := readHTTP(r)
	if err != nil {
		return Outcome{}, Unretried(err)
	}
	override, err := params.StringOr("content_type_override", "")
	if err != nil {
		return Outcome{}, Unretried(err)
	}
	target, err := httpTargetOf(ctx, r, params, false)
	if err != nil {
		return Outcome{}, err
	}
	response, again, err := w.fetch(ctx, r, params, options, target, w.options.MaxCallSize)
	if err != nil || again != nil {
		return Outcome{Again: again}, err
	}
	text, err := response.text(override, w.options.MaxCallSize)
	if err != nil {
		return Outcome{}, err
	}
	definition, err := definitionOf(text, override, response.header.Get("Content-Type"))
	if err != nil {
		return Outcome{}, err
	}
	r.Log.LogAttrs(ctx, slog.LevelInfo, httpCallFetched+definition) //nolint:sloglint // Digdag's text
	return callFetched(r, definition)
}

// definitionOf returns the text of a workflow file in a response.
func definitionOf(text, override, received string) (string, error) {
	mediaType := bareType(override)
	if mediaType == "" {
		mediaType = bareType(received)
	}
	switch mediaType {
	case "":
		return "", &Failure{Message: httpCallNoType}
	case "application/x-yaml":
		return text, nil
	case "application/json":
		object, err := param.ParseMap(text)
		if err != nil {
			return "", Failuref(httpCallBadJSON, err)
		}
		return string(param.AppendYAML(nil, object, 0)), nil
	default:
		return "", Failuref(httpCallBadType, bareType(received))
	}
}

// bareType removes the parameters of a media type.
func bareType(mediaType string) string {
	bare, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(bare))
}

// callFetched writes the definition into the working directory, where Digdag leaves it, and goes on like
// call>. But it uses the text itself, as other tasks may write that file at the same time.
func callFetched(r *Request, definition string) (Outcome, error) {
	path := filepath.Join(r.workspace.dir, httpCallFileName)
	if err := os.WriteFile(path, []byte(definition), 0o666); err != nil { //nolint:gosec // the umask decides
		return Outcome{}, err
	}
	name := r.workspace.fromProject(path)
	files := withFile{FS: os.DirFS(r.workspace.project), name: name, data: []byte(definition)}
	workflow, err := dig.OpenFS(files, r.workspace.project).LoadFile(name)
	if err != nil {
		return Outcome{}, callError(httpCallFileName, err)
	}
	return Generate(workflow.Definition)
}

// withFile is a file system in which one file has the given content.
type withFile struct {
	fs.FS
	name string
	data []byte
}

// Open implements fs.FS.
func (w withFile) Open(name string) (fs.File, error) {
	if name == w.name {
		return &textFile{Reader: bytes.NewReader(w.data), name: name}, nil
	}
	return w.FS.Open(name)
}

// textFile is an open file in memory.
type textFile struct {
	*bytes.Reader
	name string
}

func (f *textFile) Stat() (fs.FileInfo, error) { return textInfo{f}, nil }
func (f *textFile) Close() error               { return nil }

type textInfo struct{ file *textFile }

func (i textInfo) Name() string     { return filepath.Base(i.file.name) }
func (i textInfo) Size() int64      { return i.file.Size() }
func (textInfo) Mode() fs.FileMode  { return 0o444 }
func (textInfo) ModTime() time.Time { return time.Time{} }
func (textInfo) IsDir() bool        { return false }
func (textInfo) Sys() any           { return nil }
