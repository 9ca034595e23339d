package revision

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/archive"
)

// Lines are counted in files up to maxCounted bytes, as long as all of them together have at most maxAllCounted bytes.
const (
	maxCounted    = 256 << 10
	maxAllCounted = 8 << 20
	maxFileDiffs  = 2000
)

// changedFile is a file of which two revisions have other contents. Before or after is nil if there is none.
type changedFile struct {
	before, after *archive.Listed
	shape         api.FileDiff
}

// compareFiles returns the files that differ, by path.
func compareFiles(before, after []archive.Listed) []changedFile {
	old := make(map[string]*archive.Listed, len(before))
	for i := range before {
		old[before[i].Name] = &before[i]
	}
	var list []changedFile
	for i := range after {
		f := &after[i]
		was := old[f.Name]
		delete(old, f.Name)
		status := "changed"
		switch {
		case was == nil:
			status = "added"
		case was.Link != f.Link || !bytes.Equal(was.MD5, f.MD5):
		case was.Mode != f.Mode:
			status = "mode"
		default:
			continue
		}
		list = append(list, changedFile{was, f, api.FileDiff{Path: f.Name, Status: status, Binary: f.Binary || was != nil && was.Binary}})
	}
	for i := range before {
		if f := &before[i]; old[f.Name] == f {
			list = append(list, changedFile{before: f, shape: api.FileDiff{Path: f.Name, Status: "removed", Binary: f.Binary}})
		}
	}
	list = joinRenamed(list)
	slices.SortFunc(list, func(a, b changedFile) int { return strings.Compare(a.shape.Path, b.shape.Path) })
	return list
}

// joinRenamed makes one of a removed file and an added one with the same content.
func joinRenamed(list []changedFile) []changedFile {
	removed := map[string]int{} // by MD5
	for i := range list {
		if f := list[i].before; list[i].after == nil && f.SizeBytes > 0 {
			removed[string(f.MD5)] = i
		}
	}
	gone := map[int]bool{}
	for i := range list {
		c := &list[i]
		if c.before != nil || c.after == nil || c.after.SizeBytes == 0 {
			continue
		}
		from, ok := removed[string(c.after.MD5)]
		if !ok {
			continue
		}
		delete(removed, string(c.after.MD5))
		gone[from] = true
		c.before, c.shape.Status, c.shape.OldPath = list[from].before, "renamed", &list[from].before.Name
	}
	var kept []changedFile
	for i, c := range list {
		if !gone[i] {
			kept = append(kept, c)
		}
	}
	return kept
}

// texts are the contents of files whose lines are counted, by path.
type texts map[string]string

// readTexts reads the files of an archive that are to be compared.
func (h *files) readTexts(ctx context.Context, of *trowel.Archive, wanted []*archive.Listed) (texts, error) {
	found := texts{}
	if len(wanted) == 0 {
		return found, nil
	}
	packed, err := h.archives.Open(ctx, of)
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }() // only read from
	err = archive.ReadAll(ctx, packed, archive.Limits{}, wanted, func(f *archive.Listed, content io.Reader) error {
		text, err := io.ReadAll(content)
		found[f.Name] = string(text)
		return err
	})
	return found, err
}

// countLines counts the lines that were added and removed.
func (h *files) countLines(ctx context.Context, before, after *trowel.Archive, list []changedFile) error {
	var wantBefore, wantAfter []*archive.Listed
	var counted []*changedFile
	left := int64(maxAllCounted)
	for i := range list {
		c := &list[i]
		var size, largest int64
		for _, f := range []*archive.Listed{c.before, c.after} {
			if f != nil {
				size, largest = size+f.SizeBytes, max(largest, f.SizeBytes)
			}
		}
		isLink := c.before != nil && c.before.Link != "" || c.after != nil && c.after.Link != ""
		if c.shape.Binary || isLink || largest > maxCounted || size > left || c.shape.Status == "mode" || c.shape.Status == "renamed" {
			continue
		}
		left -= size
		counted = append(counted, c)
		if c.before != nil {
			wantBefore = append(wantBefore, c.before)
		}
		if c.after != nil {
			wantAfter = append(wantAfter, c.after)
		}
	}
	old, err := h.readTexts(ctx, before, wantBefore)
	if err != nil {
		return err
	}
	fresh, err := h.readTexts(ctx, after, wantAfter)
	if err != nil {
		return err
	}
	for _, c := range counted {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		added, removed := linesBetween(old[c.shape.Path], fresh[c.shape.Path])
		c.shape.Added, c.shape.Removed = &added, &removed
	}
	return nil
}

// linesBetween returns how many lines a text has that another has not, and the other way round.
func linesBetween(before, after string) (added, removed int) {
	for _, edit := range udiff.Lines(before, after) {
		added += lines(edit.New)
		removed += lines(before[edit.Start:edit.End])
	}
	return added, removed
}

// lines returns how many lines a text has, the last of which may have no end.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
