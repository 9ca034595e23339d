package kubernetes

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer"
	"github.com/trowel-project/trowel/internal/param"
)

// Labels and annotations of pods.
const (
	labelTry        = "trowel.try" // TASK-NUMBER
	labelManager    = "app.kubernetes.io/managed-by"
	annotationTask  = "trowel.task"         // full name of the task
	annotationIODir = "trowel.io-directory" // of the run
)

// Variables with the signed URLs, which are gone when the command begins.
const (
	variableInput  = "TROWEL_INPUT_URL"
	variableOutput = "TROWEL_OUTPUT_URL"
)

// podName returns the name of the pod of a try (operators 4.5). It is the same for a try that is repeated after a crash.
func podName(try *command.Try) string {
	key := try.Key()
	return fmt.Sprintf("digdag-pod-%d-%d-%s-%s-%s-%s-%s", try.Task, command.Site, key[:8], key[8:12], key[12:16], key[16:20], key[20:])
}

// pod returns the pod of the command.
func (s *submission) pod(ctx context.Context, input transfer.Input, folder string) (*param.Map, error) {
	r := s.request
	in, err := s.in.SignedGet(ctx, input.Key)
	if err != nil {
		return nil, err
	}
	out, err := s.out.SignedPut(ctx, transfer.OutputKey(folder))
	if err != nil {
		return nil, err
	}
	env := param.List{variable(variableInput, in), variable(variableOutput, out)}
	for _, entry := range r.Env {
		name, value, _ := strings.Cut(entry, "=")
		env = append(env, variable(name, value))
	}
	sh := &script{project: r.Project, ioDir: r.IODir, workDir: r.WorkDir, args: r.Args, input: input.Path, uploadOptions: s.out.UploadOptions()}
	container := param.Of("name", s.name, "image", s.options.image, "env", env, "command", param.List{"/bin/bash"}, "args", param.List{"-c", literal(sh.text())})
	set(container, "resources", s.resources(ctx))
	set(container, "volumeMounts", s.options.mounts)
	spec := param.Of("restartPolicy", "Never", "containers", param.List{container})
	set(spec, "volumes", s.options.volumes)
	set(spec, "affinity", s.options.affinity)
	set(spec, "tolerations", s.options.tolerations)
	if ttl := s.cluster.podTTL; ttl > 0 {
		spec.Set("activeDeadlineSeconds", max(1, int64(ttl.Seconds()))) // holds without an agent, too
	}
	return param.Of("apiVersion", "v1", "kind", "Pod", "metadata", param.Of(
		"name", s.name, "labels", param.Of(labelTry, r.Try.ID(), labelManager, "trowel"),
		"annotations", param.Of(annotationTask, r.Try.Name, annotationIODir, r.IODir),
	), "spec", spec), nil
}

// set adds a value to an object unless there is none.
func set(object *param.Map, key string, value param.Value) {
	switch value := value.(type) {
	case *param.Map:
		if value.Len() == 0 {
			return
		}
	case param.List:
		if len(value) == 0 {
			return
		}
	}
	object.Set(key, value)
}

func variable(name, value string) *param.Map { return param.Of("name", name, "value", literal(value)) }

// literal returns a text that Kubernetes does not expand: $(NAME) stands for a variable, and $$ for a dollar.
func literal(text string) string { return strings.ReplaceAll(text, "$", "$$") }

// script is what the container runs.
type script struct {
	project, ioDir, workDir string
	args                    []string
	input                   string // path of the archive
	uploadOptions           string
}

// text returns the script. The URLs are never arguments of a program, and the command does not get them.
func (s *script) text() string {
	lines := []string{
		"mkdir -p " + quoted(s.project) + " && cd " + quoted(s.project) + " || exit 1",
		"mkdir -p " + quoted(s.ioDir) + " || exit 1",
		"input_url=$" + variableInput + " output_url=$" + variableOutput,
		"unset " + variableInput + " " + variableOutput,
		`printf 'url = "%s"\n' "$input_url" | curl --retry 8 --retry-connrefused --fail -s -S -K - --output ` + quoted(s.input) +
			` || { echo "The files of the command cannot be downloaded" >&2; exit 1; }`,
		"tar -zxf " + quoted(s.input) + " || exit 1",
		"pushd " + quoted(cmpText(s.workDir, ".")) + " > /dev/null || exit 1",
		quotedAll(s.args),
		"exit_code=$?",
		"popd > /dev/null",
		fmt.Sprintf("tar -zcf %s --exclude %s --exclude %s %s/", transfer.OutputArchive, quoted(s.input), transfer.OutputArchive, transfer.TempDir),
		`printf 'url = "%s"\n' "$output_url" | curl --retry 7 --retry-connrefused --fail -s -S -X PUT` + s.uploadOptions + " -T " + transfer.OutputArchive +
			` -L -K - || echo "The files of the command cannot be uploaded" >&2`,
		"exit $exit_code",
	}
	return strings.Join(lines, "\n")
}

func quotedAll(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = quoted(word)
	}
	return strings.Join(all, " ")
}

// quoted returns a word for a shell.
func quoted(word string) string {
	if regexp.MustCompile(`^[\w./:=@%+,-]+$`).MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
