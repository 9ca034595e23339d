package dockertest

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// importBusybox makes the image Busybox of the busybox of this machine.
func (e *Engine) importBusybox(ctx context.Context) error {
	layer := newLayer(ctx)
	layer.busybox()
	return e.load(layer, Busybox)
}

// importPython makes the image Python of the programs of this machine.
func (e *Engine) importPython(ctx context.Context) error {
	layer := newLayer(ctx)
	layer.busybox()
	layer.program("bash", "/bin/bash")
	layer.program("python3", "/usr/bin/python3")
	layer.link("/usr/bin/python", "python3")
	library, err := exec.CommandContext(ctx, "/usr/bin/python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
	if err != nil {
		return fmt.Errorf("find the library of Python: %w", err)
	}
	layer.tree(strings.TrimSpace(string(library)))
	return e.load(layer, Python)
}

// load makes an image of one layer.
func (e *Engine) load(l *layer, name string) error {
	if err := errors.Join(l.err, l.archive.Close()); err != nil {
		return fmt.Errorf("make the image %s: %w", name, err)
	}
	cmd := e.Command(l.ctx, "import", "-", name)
	cmd.Stdin = &l.data
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("import the image %s: %w\n%s", name, err, out)
	}
	return nil
}

// layer is a file system in the making, of files of this machine. The first error is kept.
type layer struct {
	ctx     context.Context //nolint:containedctx // of the programs that it calls
	data    bytes.Buffer
	archive *tar.Writer
	have    map[string]bool
	err     error
}

func newLayer(ctx context.Context) *layer {
	l := &layer{ctx: ctx, have: map[string]bool{}}
	l.archive = tar.NewWriter(&l.data)
	for _, dir := range []string{"/bin", "/etc", "/root", "/tmp", "/usr", "/usr/bin"} {
		l.put(&tar.Header{Name: dir, Typeflag: tar.TypeDir, Mode: 0o1777}, nil)
	}
	l.put(&tar.Header{Name: "/etc/passwd", Typeflag: tar.TypeReg, Mode: 0o644}, []byte("root:x:0:0:root:/root:/bin/sh\n"))
	return l
}

// put adds a file unless the layer has it.
func (l *layer) put(header *tar.Header, data []byte) {
	if l.err != nil || l.have[header.Name] {
		return
	}
	l.have[header.Name] = true
	name := header.Name
	header.Name, header.Size = strings.TrimPrefix(name, "/"), int64(len(data))
	if l.err = l.archive.WriteHeader(header); l.err == nil {
		_, l.err = l.archive.Write(data)
	}
}

func (l *layer) link(name, target string) {
	l.put(&tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target, Mode: 0o777}, nil)
}

// file adds what a path of this machine leads to.
func (l *layer) file(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		l.err = errors.Join(l.err, err)
		return
	}
	l.put(&tar.Header{Name: path, Typeflag: tar.TypeReg, Mode: 0o755}, data)
}

// program adds a program with its libraries.
func (l *layer) program(name, path string) {
	if _, err := os.Stat(path); err != nil {
		if path, err = exec.LookPath(name); err != nil {
			l.err = errors.Join(l.err, err)
			return
		}
	}
	l.file(path)
	out, err := exec.CommandContext(l.ctx, "ldd", path).CombinedOutput()
	if err != nil {
		return // it is static
	}
	for word := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(word, "/") {
			l.file(word)
		}
	}
}

// busybox adds busybox and links for programs that tests use.
func (l *layer) busybox() {
	l.program("busybox", "/bin/busybox")
	for name := range strings.FieldsSeq("sh true false sleep echo cat ls id env kill ps mkdir touch test dd head yes rm printenv seq tail hostname ulimit") {
		target := "busybox"
		if l.have["/usr/bin/busybox"] {
			target = "/usr/bin/busybox"
		}
		l.link("/bin/"+name, target)
	}
}

// unneeded are folders of Python's library.
const unneeded = "__pycache__ test tests lib2to3 ensurepip idlelib tkinter distutils dist-packages site-packages unittest pydoc_data"

// tree adds the files of a folder that Python needs to run.
func (l *layer) tree(root string) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if entry.Type().IsRegular() && (strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".so")) {
				l.file(path)
			}
		case slices.Contains(strings.Fields(unneeded), entry.Name()), strings.HasPrefix(entry.Name(), "config-"):
			return fs.SkipDir
		}
		return nil
	})
	l.err = errors.Join(l.err, err)
}
