package dig

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// What can be wrong with the name of a workflow or a project, in Digdag's words (language L6).
const (
	NameBlank  = "must not be blank"
	NameDigit  = "must not start with a numeric digit (0-9)"
	NameSymbol = `must not include special symbols (+ ^ @ / \ / : * ? " < > |)`
	NameSuffix = "must not end with .dig"
	NameLength = "must not be longer than 255 characters"
)

// NameSymbols are the characters with which such a name must not begin.
const NameSymbols = `+^@/\:*?"<>|`

// Messages of the checks of the names of tasks (language C12).
const (
	taskNameDigit    = "must not start with a digit (0-9)"
	taskNamePlus     = "must start with '+'"
	taskNameCaret    = "must not contain ^ character"
	taskNameStart    = "must start with '+' or '^'"
	taskNameChar     = "must not contain character '%s'"
	maxName          = 255 // UTF-16 units
	taskNameSymbols  = "_-=[]{}%&@`,.^"
	validationHead   = "Validating %s failed"
	validationPrefix = "io.digdag.core.repository.ModelValidationException: "
)

// validation collects what is wrong with the names and keys of one thing. The text is `Validating <model>
// failed`, with a line for each problem (language C41).
type validation struct {
	model string // "workflow", "workflow task", "project"
	lines []string
}

func (v *validation) add(field, problem, value string) {
	v.lines = append(v.lines, fmt.Sprintf("%s %s: \"%s\"", field, problem, value))
}

func (v *validation) check(ok bool, field, problem, value string) {
	if !ok {
		v.add(field, problem, value)
	}
}

// err returns the refusal, or nil if nothing was wrong.
func (v *validation) err() *Error {
	if len(v.lines) == 0 {
		return nil
	}
	head := fmt.Sprintf(validationHead, v.model)
	return &Error{Kind: KindModelValidation, Message: head + "\n" + strings.Join(v.lines, "\n")}
}

// compiling is err in the form in which Digdag reports what it finds when it compiles: as an error of the
// configuration that names its exception (language C41).
func (v *validation) compiling() *Error {
	err := v.err()
	if err == nil {
		return nil
	}
	return configError(validationPrefix + err.Message)
}

// name checks the name of a workflow or a project (language L6).
func (v *validation) name(field, name string) {
	v.check(name != "", field, NameBlank, name)
	first := name + "\x00"
	v.check(first[0] < '0' || first[0] > '9', field, NameDigit, name)
	v.check(!strings.Contains(NameSymbols, first[:1]), field, NameSymbol, name)
	v.check(!strings.HasSuffix(name, suffix), field, NameSuffix, name)
	v.check(units(name) <= maxName, field, NameLength, name)
}

// topTaskName checks the name of a task at the top level of a file (language L39).
func (v *validation) topTaskName(field, name string) {
	v.check(strings.HasPrefix(name, "+"), field, taskNamePlus, name)
	v.check(!strings.Contains(name, "^"), field, taskNameCaret, name)
	v.taskName(field, name)
}

// taskName checks the name of any task (language C12).
func (v *validation) taskName(field, name string) {
	v.check(name != "", field, NameBlank, name)
	if name == "" {
		return
	}
	v.check(name[0] < '0' || name[0] > '9', field, taskNameDigit, name)
	v.check(name[0] == '+' || name[0] == '^', field, taskNameStart, name)
	if bad := strings.TrimLeftFunc(name[1:], isTaskNameRune); bad != "" {
		first := []rune(bad)[0]
		v.add(field, fmt.Sprintf(taskNameChar, string(first)), name)
	}
	v.check(len(name) <= maxName || units(name) <= maxName, field, NameLength, name)
}

func isTaskNameRune(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	default:
		return strings.ContainsRune(taskNameSymbols, r)
	}
}

// goodTaskName is a fast path of taskName for valid names.
func goodTaskName(name string) bool {
	if name == "" || len(name) > maxName || name[0] != '+' && name[0] != '^' {
		return false
	}
	for i := 1; i < len(name); i++ {
		if !isTaskNameRune(rune(name[i])) {
			return false
		}
	}
	return true
}

// CheckProjectName checks the name of a project (language L6). The error is an *Error.
func CheckProjectName(name string) error {
	v := validation{model: "project"}
	v.name("name", name)
	if err := v.err(); err != nil {
		return err
	}
	return nil
}

// CheckRevisionName checks the name of a revision (server 4.5). The error is an *Error.
func CheckRevisionName(name string) error {
	v := validation{model: "revision"}
	v.check(name != "", "name", NameBlank, name)
	v.check(units(name) <= maxName, "name", NameLength, name)
	if err := v.err(); err != nil {
		return err
	}
	return nil
}

// units returns the length of a text in UTF-16 units, as Digdag counts characters.
func units(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return len(utf16.Encode([]rune(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
