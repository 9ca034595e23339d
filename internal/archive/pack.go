package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/dig"
)

// Text of server 4.2.
const textOutgoing = "Invalid symbolic link: Given path '%s' is outside of project directory '%s'. " +
	"Consider to add --copy-outgoing-symlinks option"

// longName is the length of names, in bytes, from which they are written as PAX headers (server 4.1).
const longName = 100

// PackOptions say what to do with links that leave the project, and what to leave out.
type PackOptions struct {
	// CopyOutgoing copies the target of such a link in its place. Otherwise such a link is an error.
	CopyOutgoing bool
	// Report is called for each file and link, before it is read. Nil for no calls.
	Report func(Packed)
	// LeaveOut reports whether a file is left out. It gets the file's path on this machine. Nil leaves out none.
	LeaveOut func(path string) bool
	// Add names folders of the project, as slash paths, whose plain files are packed after all others, whatever is left out
	// elsewhere. Folders below them are not.
	Add []string
}

// Packed is a file or link that Pack put into the archive.
type Packed struct {
	Name string // slash path from the project
	Link string // target of a symbolic link; empty for a file
}

// Pack writes an archive of a project folder (server 4.1, 4.2): all regular files and links below it,
// sorted by name in each folder. It leaves out names that begin with a dot, what
// .digdagignore or the options exclude, and other kinds of files such as sockets. A file that grows
// meanwhile is packed with the size that it had. The error about a link that leaves the project is a
// *dig.Error.
func Pack(ctx context.Context, to io.Writer, dir string, opts PackOptions) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	ignore, err := dig.ReadIgnore(os.DirFS(dir))
	if err != nil {
		return err
	}
	zip := gzip.NewWriter(to)
	p := &packing{ctx: ctx, dir: dir, opts: opts, ignore: ignore, tar: tar.NewWriter(zip)}
	if err := p.folder(dir, ""); err != nil {
		return err
	}
	for _, name := range opts.Add {
		if err := p.added(name); err != nil {
			return err
		}
	}
	return errors.Join(p.tar.Close(), zip.Close())
}

// packing is one call of Pack.
type packing struct {
	ctx    context.Context //nolint:containedctx // of this run
	dir    string          // absolute
	opts   PackOptions
	ignore *dig.Ignore
	tar    *tar.Writer
	above  []string // real paths of the folders that are copied instead of links, outermost first
}

// folder packs the content of a folder of this machine. prefix is its name in the archive with a slash
// after it, or empty for the project.
func (p *packing) folder(folder, prefix string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, found := range entries {
		if err := context.Cause(p.ctx); err != nil {
			return err
		}
		name := prefix + found.Name()
		if strings.HasPrefix(found.Name(), ".") || p.ignore.Excludes(name, found.IsDir()) {
			continue
		}
		if err := p.entry(filepath.Join(folder, found.Name()), name, found.Type()); err != nil {
			return err
		}
	}
	return nil
}

// added packs the plain files of a folder that PackOptions.Add names.
func (p *packing) added(name string) error {
	folder := filepath.Join(p.dir, filepath.FromSlash(name))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, found := range entries {
		if !found.Type().IsRegular() {
			continue
		}
		if err := p.file(filepath.Join(folder, found.Name()), path.Join(name, found.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (p *packing) entry(file, name string, mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return p.folder(file, name+"/")
	case p.opts.LeaveOut != nil && p.opts.LeaveOut(file):
		return nil
	case mode&fs.ModeSymlink != 0:
		return p.link(file, name)
	case mode.IsRegular():
		return p.file(file, name)
	default:
		return nil
	}
}

// link packs a link that stays inside as a relative one. For another link it packs the target
// instead.
func (p *packing) link(file, name string) error {
	written, err := os.Readlink(file)
	if err != nil {
		return err
	}
	target := written
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(file), target)
	}
	target = filepath.Clean(target)
	inside, err := filepath.Rel(p.dir, target)
	if err == nil && filepath.IsLocal(inside) {
		return p.linkInside(name, filepath.ToSlash(inside))
	}
	if !p.opts.CopyOutgoing {
		return &dig.Error{Kind: dig.KindIllegalArgument, Message: fmt.Sprintf(textOutgoing, target, p.dir)}
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return p.entry(target, name, info.Mode().Type())
	}
	return p.copied(target, name)
}

// copied packs a folder instead of a link to it.
func (p *packing) copied(target, name string) error {
	resolved, err := filepath.EvalSymlinks(target)
	if err != nil {
		return err
	}
	project, err := filepath.EvalSymlinks(p.dir)
	if err != nil {
		return err
	}
	for _, above := range append([]string{project}, p.above...) {
		if inside, err := filepath.Rel(resolved, above); err == nil && filepath.IsLocal(inside) {
			return &dig.Error{Kind: dig.KindIllegalArgument, Message: fmt.Sprintf(
				"Invalid symbolic link: '%s' points to '%s', a folder that it is in itself", name, target)}
		}
	}
	p.above = append(p.above, resolved)
	defer func() { p.above = p.above[:len(p.above)-1] }()
	return p.folder(target, name+"/")
}

// linkInside packs a link to a path of the project, relative to the link.
func (p *packing) linkInside(name, inside string) error {
	target, err := filepath.Rel(filepath.FromSlash(filepath.Dir(name)), filepath.FromSlash(inside))
	if err != nil {
		return err
	}
	target = filepath.ToSlash(target)
	p.report(Packed{Name: name, Link: target})
	return p.header(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777})
}

func (p *packing) report(packed Packed) {
	if p.opts.Report != nil {
		p.opts.Report(packed)
	}
}

func (p *packing) header(h *tar.Header) error {
	if len(h.Name) > longName || len(h.Linkname) > longName {
		h.Format = tar.FormatPAX
	}
	if err := p.tar.WriteHeader(h); err != nil {
		return fmt.Errorf("pack %s: %w", h.Name, err)
	}
	return nil
}

// file packs a regular file.
func (p *packing) file(from, name string) (err error) {
	p.report(Packed{Name: name})
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	h := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: int64(info.Mode().Perm()),
		ModTime: info.ModTime().Truncate(time.Second),
	}
	if err := p.header(h); err != nil {
		return err
	}
	n, err := io.Copy(p.tar, io.LimitReader(file, info.Size()))
	if err == nil && n < info.Size() {
		err = io.ErrUnexpectedEOF // it became shorter
	}
	if err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	return nil
}
