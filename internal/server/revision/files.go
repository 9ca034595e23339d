package revision

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Content types of files.
const (
	textType   = "text/plain; charset=utf-8"
	binaryType = "application/octet-stream"
)

// files has the handlers of the files of revisions.
type files struct {
	archives *download.Archives
	known    listings
}

// list answers with a page of the files of a revision. The name of the revision is a part of the cursor, so that all pages are
// about the same one.
func (h *files) list(c *rest.Call) (any, error) {
	limit, key, err := c.PageKey(2)
	if err != nil {
		return nil, err
	}
	name := c.Query.Get("revision")
	if key != nil {
		name = key[0]
	}
	r, err := ofProject(c, name)
	if err != nil {
		return nil, err
	}
	all, err := h.known.read(c.Ctx(), h.archives, &r.Archive)
	if err != nil {
		return nil, err
	}
	if key != nil {
		at := slices.IndexFunc(all, func(f archive.Listed) bool { return f.Name == key[1] })
		all = all[at+1:]
	}
	page := api.ProjectFileList{Revision: r.Name, Items: api.List[api.ProjectFile]{}}
	for i := range all {
		if i == limit {
			page.Next = rest.Cursor(r.Name, all[i-1].Name)
			break
		}
		page.Items = append(page.Items, shapeOf(&all[i]))
	}
	return page, nil
}

func shapeOf(f *archive.Listed) api.ProjectFile {
	shape := api.ProjectFile{Path: f.Name, Kind: "file", Size: f.SizeBytes, Mode: fmt.Sprintf("%04o", f.Mode.Perm()), Binary: f.Binary}
	if f.Link != "" {
		shape.Kind, shape.Target = "link", &f.Link
		return shape
	}
	sum := hex.EncodeToString(f.MD5)
	shape.MD5 = &sum
	return shape
}

// content answers with a file, as text unless it is binary.
func (h *files) content(c *rest.Call) (any, error) {
	path := c.Query.Get("path")
	if path == "" {
		return nil, rest.InvalidValue("path", "path is missing").WithHint("name a file as in the list of files")
	}
	r, err := ofProject(c, c.Query.Get("revision"))
	if err != nil {
		return nil, err
	}
	all, err := h.known.read(c.Ctx(), h.archives, &r.Archive)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(f archive.Listed) bool { return f.Name == path })
	switch {
	case at < 0:
		return nil, rest.NotFound("revision %s has no file %q", r.Name, path)
	case all[at].Link != "":
		return nil, rest.InvalidValue("path", "%q is a link to %q", path, all[at].Link).WithHint("ask for the file itself")
	}
	file := &all[at]
	answer := rest.File{
		ContentType: textType, SizeBytes: file.SizeBytes, ETag: `"` + hex.EncodeToString(file.MD5) + `"`, Ranges: true, Untrusted: true,
		Open: func() (io.ReadCloser, error) {
			packed, err := h.archives.Open(c.Ctx(), &r.Archive)
			if err != nil {
				return nil, err
			}
			content, err := file.ReadFrom(c.Ctx(), packed, archive.Limits{})
			if err != nil {
				_ = packed.Close() // only read from
				return nil, err
			}
			return &unpacked{content, packed}, nil
		},
	}
	if file.Binary {
		answer.ContentType = binaryType
	}
	return answer, nil
}

// unpacked is the content of a file, which closes its archive.
type unpacked struct {
	io.Reader
	io.Closer
}

// ofProject returns the revision of a name of the project of the path; the newest one if name is empty.
func ofProject(c *rest.Call, name string) (r *trowel.Revision, err error) {
	err = c.View(func(tx trowel.Tx) error {
		p, err := find.LiveProject(c, tx)
		if err != nil {
			return err
		}
		r, err = tx.FindRevision(c.Ctx(), p.ID, name)
		return find.OrNoRevision(err, p.ID, name)
	})
	return r, err
}
