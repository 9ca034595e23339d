package archive

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// File is a file or a symbolic link in an archive.
type File struct {
	Name      string // slash path from the project's root
	SizeBytes int64
	Mode      fs.FileMode // permissions
	Link      string      // target of a symbolic link; empty for a file

	offset int64 // of its content
}

// Files are the files of an archive, as an fs.FS that can also list folders. Links look like empty
// files. It is safe for concurrent use until its Upload is closed.
type Files struct {
	contents io.ReaderAt
	all      []File // ordered with compareNames
}

// List returns all files, those of a folder in a row. The caller must not change the list.
func (f *Files) List() []File { return f.all }

// isBelow reports whether a name is in a folder, at any depth.
func isBelow(name, folder string) bool {
	return len(name) > len(folder) && name[len(folder)] == '/' && name[:len(folder)] == folder
}

// Open implements fs.FS.
func (f *Files) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if name == "." {
		return &openFolder{info: info{name: "."}, entries: children(f.all, "")}, nil
	}
	at := sort.Search(len(f.all), func(i int) bool { return compareNames(f.all[i].Name, name) >= 0 })
	if at < len(f.all) && f.all[at].Name == name {
		file := &f.all[at]
		return &openFile{SectionReader: io.NewSectionReader(f.contents, file.offset, file.SizeBytes), info: info{path.Base(name), file}}, nil
	}
	if at < len(f.all) && isBelow(f.all[at].Name, name) {
		end := at + sort.Search(len(f.all)-at, func(i int) bool { return !isBelow(f.all[at+i].Name, name) })
		return &openFolder{info: info{name: path.Base(name)}, entries: children(f.all[at:end], name+"/")}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// children returns the entries of a folder, sorted by name. The names of all files begin with prefix.
func children(files []File, prefix string) []fs.DirEntry {
	var list []fs.DirEntry
	for i := range files {
		name := files[i].Name[len(prefix):]
		entry := info{name: name, file: &files[i]}
		if first, _, isFolder := strings.Cut(name, "/"); isFolder {
			if n := len(list); n > 0 && list[n-1].Name() == first {
				continue
			}
			entry = info{name: first}
		}
		list = append(list, fs.FileInfoToDirEntry(entry))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// info describes a file, or a folder if it has no file.
type info struct {
	name string
	file *File
}

func (i info) Name() string     { return i.name }
func (info) ModTime() time.Time { return time.Time{} }
func (info) Sys() any           { return nil }
func (i info) IsDir() bool      { return i.file == nil }

func (i info) Size() int64 {
	if i.file == nil {
		return 0
	}
	return i.file.SizeBytes
}

func (i info) Mode() fs.FileMode {
	if i.file == nil {
		return fs.ModeDir | 0o555
	}
	return i.file.Mode
}

type openFile struct {
	*io.SectionReader
	info info
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (*openFile) Close() error                 { return nil }

type openFolder struct {
	info    info
	entries []fs.DirEntry // not yet read
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (*openFolder) Close() error                 { return nil }

func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	count := len(f.entries)
	if n > 0 {
		count = min(n, count)
		if count == 0 {
			return nil, io.EOF
		}
	}
	list := f.entries[:count]
	f.entries = f.entries[count:]
	return list, nil
}
