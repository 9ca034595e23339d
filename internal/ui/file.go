package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// file is one file as it is sent.
type file struct {
	kind         string // of its content
	data         []byte
	hash         string
	compressible bool
	compressed   func() []byte // works once, when it is first asked
}

func newFile(ext string, data []byte) *file {
	kind, compressible := kindOf(ext)
	sum := sha256.Sum256(data)
	f := &file{kind: kind, data: data, hash: hex.EncodeToString(sum[:8]), compressible: compressible}
	f.compressed = sync.OnceValue(func() []byte { return compress(data) })
	return f
}

// kindOf returns the media type for the extension of a file, and whether compression helps. The tables of the system are not
// asked: a wrong entry there would stop the page.
func kindOf(ext string) (kind string, compressible bool) {
	switch ext {
	case ".html":
		return "text/html; charset=utf-8", true
	case ".js":
		return "text/javascript; charset=utf-8", true
	case ".css":
		return "text/css; charset=utf-8", true
	case ".svg":
		return "image/svg+xml", true
	case ".json", ".webmanifest":
		return "application/json", true
	case ".txt":
		return "text/plain; charset=utf-8", true
	case ".png":
		return "image/png", false
	default:
		return "application/octet-stream", false
	}
}

func compress(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) //nolint:forbidigo // the level is right
	}
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}
