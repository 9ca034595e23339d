package docker

import (
	"regexp"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// options are the block "docker" of a task.
type options struct {
	image      string
	client     string // program
	run        []string
	pullAlways bool
	selinux    bool
	build      []string
	buildsOwn  bool // build is set, even to an empty list
	buildWith  []string
}

// readOptions reads the block "docker". Without one the error is command.ErrNotAsked.
func readOptions(params *param.Map) (*options, error) {
	if !params.Has("docker") {
		return nil, command.ErrNotAsked
	}
	block, err := param.NewReader(params).MapOf("docker")
	if err != nil {
		return nil, err
	}
	o, read := &options{}, param.NewReader(block)
	if o.image, err = read.String("image"); err != nil {
		return nil, err
	}
	if o.client, err = read.StringOr("docker", "docker"); err != nil {
		return nil, err
	}
	if o.selinux, err = read.BoolOr("selinux", false); err != nil {
		return nil, err
	}
	if o.pullAlways, err = read.BoolOr("pull_always", false); err != nil {
		return nil, err
	}
	for key, list := range map[string]*[]string{"run_options": &o.run, "build": &o.build, "build_options": &o.buildWith} {
		if *list, err = texts(read, key); err != nil {
			return nil, err
		}
	}
	o.buildsOwn = block.Has("build")
	if slices.ContainsFunc(o.run, detaches) {
		return nil, param.Errorf("run_options cannot have --detach: the container must end with its task")
	}
	return o, nil
}

// texts reads a list of texts; nil if it is missing.
func texts(read *param.Reader, key string) ([]string, error) {
	list, err := read.ListOr(key, nil)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(list))
	for i, element := range list {
		text, ok := param.AsString(element)
		if !ok {
			return nil, param.WrongType(key, "array type", list)
		}
		out[i] = text
	}
	return out, nil
}

// detaches reports whether an option of "docker run" makes the client end before the container.
func detaches(option string) bool {
	name, value, _ := strings.Cut(option, "=")
	return (name == "--detach" || shortDetach().MatchString(option)) && value != "false"
}

// shortDetach matches -d, also among other short options without a value, as in -itd.
func shortDetach() *regexp.Regexp { return regexp.MustCompile(`^-[itPq]*d`) }

// ownName returns the name that a task gives its container; empty for none.
func (o *options) ownName() (name string) {
	for i, option := range o.run {
		if value, ok := strings.CutPrefix(option, "--name="); ok {
			name = value
		} else if option == "--name" && i+1 < len(o.run) {
			name = o.run[i+1]
		}
	}
	return name
}
