package local

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// initFiles holds the files that init makes: gitignore, and a folder for each type of project.
//
//go:embed all:initfiles
var initFiles embed.FS

// projectType is a type of project that init can make.
type projectType struct {
	name  string
	files []string // besides the workflow, in the order in which they are listed
}

// projectTypes are the values of init --type (server 1.9.1).
//
//nolint:gochecknoglobals // a table that is only read
var projectTypes = []projectType{
	{name: "echo"},
	{name: "sh", files: []string{"scripts/myscript.sh"}},
	{name: "ruby", files: []string{"scripts/myclass.rb"}},
	{name: "python", files: []string{"scripts/__init__.py", "scripts/myclass.py"}},
	{name: "td", files: []string{"queries/query.sql"}},
	{name: "postgresql", files: []string{
		"queries/create_src_table.sql", "queries/insert_data_to_src_table.sql", "queries/summarize_src_table.sql",
	}},
}

// projectTypeNames lists the values of init --type.
func projectTypeNames() []string {
	var names []string
	for _, t := range projectTypes {
		names = append(names, t.name)
	}
	return names
}

// Init returns the row of the command init.
func Init() cmd.Command {
	return cmd.Command{
		Name: "init", Aliases: []string{"new"}, Section: cmd.SectionLocal,
		Lines: []cmd.Line{{Form: "init <dir>", Text: "make a folder with a first workflow"}},
		Usage: []string{"init <dir> [options...]"},
		Min:   1, Max: 1, Operand: cmd.AnyFolder,
		Options: []cmd.Option{
			cmd.TextOption("TYPE", "what the workflow shows: "+textutil.CommaList(projectTypeNames()), "-t", "--type").
				Or("echo").Offering(cmd.OneOf(projectTypeNames()...)),
		},
		Run: runInit,
	}
}

// runInit makes a folder with a first workflow (server 1.9.1). If the workflow exists, it
// changes nothing.
func runInit(_ context.Context, c *cmd.Call) error {
	typeName := c.Args.Text("--type")
	index := slices.IndexFunc(projectTypes, func(t projectType) bool { return t.name == typeName })
	if index < 0 {
		return c.UsageError("--type has an invalid value").Hinting("the types are %s", textutil.CommaList(projectTypeNames()))
	}
	dir := shownFolder(c.Args.Positional[0])
	target := c.Env.Path(dir)
	here := filepath.Clean(dir) == "." // any other path is shown as it was given
	if here {
		dir = "."
	}
	name := filepath.Base(target)
	if fault := workflowNameFault(name); fault != "" {
		return cmd.Complainf("%s", fault).Hinting("the workflow is named like its folder: choose another name for the folder")
	}
	p := &newProject{call: c, dir: dir, target: target}
	if err := p.create(projectTypes[index], name+".dig"); err != nil || p.found {
		return err
	}
	terminal.Say(c.Env.Stdout, "%s\n", p.farewell(typeName, name, here))
	return nil
}

// newProject is the folder of a project that is being made.
type newProject struct {
	call   *cmd.Call
	dir    string // as the user gave it, for messages
	target string // absolute
	found  bool   // the workflow existed before
}

// create writes the files of a type, and lists each.
func (p *newProject) create(t projectType, workflow string) error {
	if err := os.MkdirAll(p.target, 0o755); err != nil {
		return fix.UseNewProject.Failed(fmt.Errorf("make folder %s: %w", p.dir, fix.Reason(err)))
	}
	if p.exists(workflow) {
		p.found = true
		terminal.Say(p.call.Env.Stdout, "File %s already exists.\n", p.shown(workflow))
		return nil
	}
	for _, file := range t.files {
		if err := p.write(path.Join(t.name, file), file); err != nil {
			return err
		}
	}
	if err := p.write(path.Join(t.name, "workflow.dig"), workflow); err != nil {
		return err
	}
	if p.exists(".gitignore") {
		return nil
	}
	return p.write("gitignore", ".gitignore")
}

// write copies an embedded file into the project. Scripts become executable.
func (p *newProject) write(source, file string) error {
	terminal.Say(p.call.Env.Stdout, "  Creating %s\n", p.shown(file))
	data, err := initFiles.ReadFile(path.Join("initfiles", source))
	if err != nil {
		return fmt.Errorf("read embedded file: %w", err)
	}
	mode := fs.FileMode(0o644)
	if strings.HasSuffix(file, ".sh") {
		mode = 0o755
	}
	target := filepath.Join(p.target, filepath.FromSlash(file))
	err = os.MkdirAll(filepath.Dir(target), 0o755)
	if err == nil {
		err = os.WriteFile(target, data, mode)
	}
	if err == nil && mode == 0o755 {
		err = os.Chmod(target, mode) // a file that existed has kept its mode
	}
	if err != nil {
		return fix.UseNewProject.Failed(fmt.Errorf("create %s: %w", p.shown(file), fix.Reason(err)))
	}
	return nil
}

// exists reports whether a file of the project exists.
func (p *newProject) exists(file string) bool {
	_, err := os.Lstat(filepath.Join(p.target, file))
	return !errors.Is(err, fs.ErrNotExist)
}

// shown returns the path of a file for messages, in the folder as the user gave it.
func (p *newProject) shown(file string) string {
	return strings.TrimSuffix(p.dir, string(filepath.Separator)) + string(filepath.Separator) + filepath.FromSlash(file)
}

// farewell returns the last line, which says what to type next (server 1.9.1; the wording is Digdag's).
func (p *newProject) farewell(typeName, name string, here bool) string {
	first := ""
	if !here {
		first = fmt.Sprintf("`cd %s` and then ", p.dir)
	}
	if typeName == "td" {
		return fmt.Sprintf("Done. Set up you Treasure Data API key and type %s`%s push %s` to push the workflow to Treasure Data. Enjoy!",
			first, p.call.Program, name)
	}
	return fmt.Sprintf("Done. Type %s`%s run %s.dig` to run the workflow. Enjoy!", first, p.call.Program, name)
}

// shownFolder returns a folder as the user gave it, without doubled and trailing separators.
func shownFolder(dir string) string {
	separator := string(filepath.Separator)
	dir = filepath.FromSlash(dir)
	for strings.Contains(dir, separator+separator) {
		dir = strings.ReplaceAll(dir, separator+separator, separator)
	}
	if dir != separator {
		dir = strings.TrimSuffix(dir, separator)
	}
	return dir
}

// workflowNameFault returns what is wrong with the name of a workflow, in Digdag's words (server 4.5);
// empty if nothing is.
func workflowNameFault(name string) string {
	var fault string
	switch {
	case name == "":
		fault = dig.NameBlank
	case len([]rune(name)) > 255:
		fault = dig.NameLength
	case name[0] >= '0' && name[0] <= '9':
		fault = dig.NameDigit
	case strings.ContainsRune(dig.NameSymbols, rune(name[0])):
		fault = dig.NameSymbol
	case strings.HasSuffix(name, ".dig"):
		fault = dig.NameSuffix
	default:
		return ""
	}
	return fmt.Sprintf("Validating workflow failed\nname %s: %q (model validation)", fault, name)
}
