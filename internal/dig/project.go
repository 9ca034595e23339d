package dig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// Text of L8, with a line for each file.
const projectInvalid = "Validating project failed"

// Project is a folder with its workflows.
type Project struct {
	Dir       string      // absolute path, as messages show it
	Workflows []*Workflow // sorted by file name

	files fs.FS
}

// Load reads the workflows of a local folder (language 1.2). It follows symbolic links
// wherever they lead (L1). If files are broken, all of them are reported (L8). The error is an *Error.
func Load(dir string) (*Project, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, &Error{Kind: KindIO, Message: err.Error(), Err: err}
	}
	return LoadFS(os.DirFS(absolute), absolute)
}

// LoadFS is Load for other file systems, such as os.Root.FS of a folder from strangers, which does not
// follow links that leave it. Messages show dir as the folder's absolute path.
func LoadFS(files fs.FS, dir string) (*Project, error) {
	p := &Project{Dir: dir, files: files}
	names, err := p.workflowFiles()
	if err != nil {
		return nil, err
	}
	var broken []string
	var grown growth
	for _, name := range names {
		w, err := p.loadFile(name, &grown)
		switch {
		case err == nil:
			p.Workflows = append(p.Workflows, w)
		case err.aborts:
			return nil, err
		default:
			broken = append(broken, fmt.Sprintf("workflow %s %s", p.loader().show(name), err.Message))
		}
	}
	if broken != nil {
		message := projectInvalid + "\n" + strings.Join(broken, "\n")
		return nil, &Error{Kind: KindModelValidation, Message: message}
	}
	return p, nil
}

// OpenFS returns a project for LoadFile, without reading anything.
func OpenFS(files fs.FS, dir string) *Project { return &Project{Dir: dir, files: files} }

func (p *Project) loader() *loader { return &loader{files: p.files, dir: p.Dir} }

// workflowFiles returns the names of the workflow files, sorted (L1 to L5).
func (p *Project) workflowFiles() ([]string, error) {
	entries, err := fs.ReadDir(p.files, ".")
	if err != nil {
		failure := p.loader().fileError("", err)
		return nil, failure
	}
	ignore, err := ReadIgnore(p.files)
	if err != nil {
		return nil, p.loader().fileError(ignoreFile, err)
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, suffix) || ignore.Excludes(name, false) {
			continue
		}
		mode := entry.Type()
		if mode&fs.ModeSymlink != 0 {
			info, err := fs.Stat(p.files, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a link that leads nowhere
			}
			if err != nil {
				return nil, p.loader().fileError(name, err)
			}
			mode = info.Mode()
		}
		if mode.IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}

// loadFile reads a workflow. grown has the growth of earlier files, and afterwards also that of this one.
func (p *Project) loadFile(name string, grown *growth) (*Workflow, *Error) {
	l := p.loader()
	l.roots, l.growth = map[string]*yaml.Node{}, *grown
	content, err := l.load(name)
	*grown = l.growth
	if err != nil {
		return nil, err
	}
	w, err := workflowOf(name, content)
	if err == nil {
		w.Origin = l.origin(name)
	}
	return w, err
}

// LoadFile reads one file of the project as a workflow, as call> does, even if it is in a folder
// (language O14, O15). The name is a slash path from the project's root. The error is an *Error.
func (p *Project) LoadFile(name string) (*Workflow, error) {
	w, err := p.loadFile(name, &growth{})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Find returns the workflow with a name, or nil.
func (p *Project) Find(name string) *Workflow {
	for _, w := range p.Workflows {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// Compile compiles all workflows, as push, check and run do first (language C42),
// and returns their tasks in the order of Workflows. The error is an *Error, the first refusal.
func (p *Project) Compile() ([][]Task, error) {
	all := make([][]Task, len(p.Workflows))
	for i, w := range p.Workflows {
		tasks, err := w.Compile()
		if err != nil {
			return nil, err
		}
		all[i] = tasks
	}
	return all, nil
}

// Compile compiles the workflow.
func (w *Workflow) Compile() ([]Task, error) {
	return CompileAt(w.Origin, "", "+"+w.Name, w.Definition)
}

// ReadParams reads a file of parameters for option -P: a mapping, with includes (language L61). The
// path is local. The error is an *Error.
func ReadParams(file string) (*param.Map, error) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, &Error{Kind: KindIO, Message: err.Error(), Err: err}
	}
	dir, name := filepath.Split(absolute)
	l := &loader{files: os.DirFS(filepath.Clean(dir)), dir: dir}
	params, failure := l.load(name)
	if failure == nil {
		return params, nil
	}
	if failure.Kind == KindNoSuchFile && failure.Message == absolute {
		failure.Message = file // the path as given (server 1.1)
	}
	return nil, failure
}

// ReadYAML reads a YAML text that must contain an object, such as a status file, without includes.
// The error is an *Error.
func ReadYAML(data []byte) (*param.Map, error) {
	document, err := readYAML(string(data))
	if err != nil {
		return nil, err
	}
	object, err := document.object()
	if err != nil {
		return nil, err
	}
	return object, nil
}
