package ecs

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/command/transfer"
)

// endMarker is the last line of output.
const endMarker = "--RWNzQ29tbWFuZEV4ZWN1dG9y--"

// script is what the container runs (operators 4.4).
type script struct {
	ioDir, workDir string
	args           []string
	input          string // path of the archive
	inputURL       string
	outputURL      string
	downloads      int // how often a download is repeated
	uploads        int
	failUploads    bool // an upload that is refused is repeated, too
	uploadOptions  string
}

// command returns the command of the container.
func (s *script) command() []string {
	options := s.uploadOptions
	if s.failUploads {
		options += " --fail"
	}
	steps := []string{
		"mkdir -p " + s.ioDir,
		fmt.Sprintf("curl --retry %d --retry-connrefused --fail -s \"%s\" --output %s", s.downloads, s.inputURL, s.input),
		"tar -zxf " + s.input,
	}
	inside := s.workDir != "" && s.workDir != "."
	if inside {
		steps = append(steps, "pushd "+s.workDir)
	}
	steps = append(steps, strings.Join(s.args, " "), "exit_code=$?")
	if inside {
		steps = append(steps, "popd")
	}
	steps = append(steps,
		fmt.Sprintf("tar -zcf %s  --exclude %s --exclude %s %s/", transfer.OutputArchive, s.input, transfer.OutputArchive, transfer.TempDir),
		fmt.Sprintf("curl --retry %d --retry-connrefused%s -s -X PUT -T %s -L \"%s\"", s.uploads, options, transfer.OutputArchive, s.outputURL),
		`echo "`+endMarker+`"`,
		"exit $exit_code",
	)
	return []string{"/bin/bash", "-c", strings.Join(steps, "; ")}
}

// ioDirOf returns the directory of a run from the script of an ECS task; empty if it is not one of Run.
func ioDirOf(t *task) string {
	if len(t.Overrides.Containers) == 0 || len(t.Overrides.Containers[0].Command) != 3 {
		return ""
	}
	found := regexp.MustCompile(`^mkdir -p ([^; ]+);`).FindStringSubmatch(t.Overrides.Containers[0].Command[2])
	if found == nil {
		return ""
	}
	return found[1]
}

// arnID returns the last part of the ARN of a task, its id.
func arnID(arn string) string { return arn[strings.LastIndexByte(arn, '/')+1:] }
