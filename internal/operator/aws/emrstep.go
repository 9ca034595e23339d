package aws

import (
	"context"
	_ "embed"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/emr/types"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// What runs on the cluster.
var (
	//go:embed cluster/runner.py
	runnerProgram []byte
	//go:embed cluster/spark-sql-wrapper.py
	sqlProgram []byte
	//go:embed cluster/exit-helper.scala
	exitProgram []byte
)

// Texts of operators 9.2.
const (
	unknownStep = "Unsupported step type: %s"
	noSteps     = "steps"
)

// executable is the mode of scripts (octal 777).
const executable = 511

// plan makes the steps and bootstrap actions of a cluster. It stages the files that they need.
type plan struct {
	staging *staging
	sealer  *sealer
	region  string
	runner  file // once it is staged
	action  types.ActionOnFailure
}

// program is what runs on the cluster as one step.
type program struct {
	title    string
	download param.List
	command  param.List
	env      *param.Map
}

func (p *program) fetches(from file, to string, mode param.Value) {
	p.download = append(p.download, param.Of("src", from.uri, "dst", to, "mode", mode))
}

// steps makes the steps of a list.
func (p *plan) steps(ctx context.Context, list param.List) ([]types.StepConfig, error) {
	steps := make([]types.StepConfig, 0, len(list))
	for i, element := range list {
		options, ok := element.(*param.Map)
		if !ok {
			return nil, param.WrongType("steps", param.TypeMap, element)
		}
		step, err := p.step(ctx, "steps/"+strconv.Itoa(i+1), param.NewReader(options))
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func (p *plan) step(ctx context.Context, section string, options *param.Reader) (step types.StepConfig, err error) {
	kind, err := options.String("type")
	if err != nil {
		return step, err
	}
	maker := map[string]func(context.Context, string, *param.Reader) (*program, error){
		"flink": p.flink, "hive": p.hive, "spark": p.spark, "spark-sql": p.sparkSQL, "script": p.script, "command": p.shell,
	}[kind]
	if maker == nil {
		return step, &operator.Error{Kind: operator.KindRuntime, Message: strings.Replace(unknownStep, "%s", kind, 1)}
	}
	action := p.action
	if text, found, err := options.OptString("action_on_failure"); err != nil {
		return step, err
	} else if found {
		if action, err = actionOf(text); err != nil {
			return step, err
		}
	}
	name, named, err := options.OptString("name")
	if err != nil {
		return step, err
	}
	made, err := maker(ctx, section, options)
	if err != nil {
		return step, err
	}
	if !named {
		name = made.title
	}
	args, err := p.configuration(ctx, section, onCluster+"/"+p.staging.tag+"/"+section+"/wd", made)
	if err != nil {
		return step, err
	}
	return types.StepConfig{
		Name: aws.String(tagged(name, p.staging.tag)), ActionOnFailure: action,
		HadoopJarStep: &types.HadoopJarStepConfig{Jar: aws.String("s3://" + p.region + ".elasticmapreduce/libs/script-runner/script-runner.jar"), Args: args},
	}, nil
}

func actionOf(text string) (types.ActionOnFailure, error) {
	for _, known := range types.ActionOnFailure("").Values() {
		if string(known) == text {
			return known, nil
		}
	}
	return "", param.Errorf("Unsupported action_on_failure: %s", text)
}

// configuration stages the runner and what it is to do, and returns their addresses.
func (p *plan) configuration(ctx context.Context, section, folder string, made *program) ([]string, error) {
	if p.runner.uri == "" {
		runner, err := p.staging.put(ctx, "shared/scripts", "runner.py", runnerProgram)
		if err != nil {
			return nil, err
		}
		p.runner = runner
	}
	if made.download == nil {
		made.download = param.List{}
	}
	if made.env == nil {
		made.env = param.New()
	}
	content := param.Of("download", made.download, "working_directory", folder, "env", made.env, "command", made.command)
	config, err := p.staging.put(ctx, section, "config.json", param.AppendJSON(nil, content))
	return []string{p.runner.uri, config.uri}, err
}

func (p *plan) script(ctx context.Context, section string, options *param.Reader) (*program, error) {
	name, err := options.String("script")
	if err != nil {
		return nil, err
	}
	return p.scriptOf(ctx, section, onCluster+"/"+p.staging.tag+"/"+section+"/wd", name, options)
}

func (p *plan) scriptOf(ctx context.Context, section, folder, name string, options *param.Reader) (*program, error) {
	made := &program{title: "Script"}
	script, err := p.staging.fetch(ctx, section, name, false)
	if err != nil {
		return nil, err
	}
	made.fetches(script, script.path, int64(executable))
	made.command = plainTexts(script.path)
	return made, p.surround(ctx, section, folder, made, options)
}

func (p *plan) shell(ctx context.Context, section string, options *param.Reader) (*program, error) {
	command, err := options.String("command")
	if err != nil {
		return nil, err
	}
	made := &program{title: "Command", command: plainTexts(command)}
	return made, p.surround(ctx, section, onCluster+"/"+p.staging.tag+"/"+section+"/wd", made, options)
}

// surround adds the options args, files and env.
func (p *plan) surround(ctx context.Context, section, folder string, made *program, options *param.Reader) error {
	if err := p.addArgs(ctx, made, options); err != nil {
		return err
	}
	if _, err := p.addFiles(ctx, section, folder, made, options); err != nil {
		return err
	}
	env, err := options.OptMap("env")
	if err != nil {
		return err
	}
	made.env = param.New()
	values := param.NewReader(env)
	for name := range env.All() {
		text, err := values.String(name)
		if err != nil {
			return err
		}
		entry, err := p.sealer.text(ctx, text)
		if err != nil {
			return err
		}
		made.env.Set(name, entry)
	}
	return nil
}

func (p *plan) addArgs(ctx context.Context, made *program, options *param.Reader) error {
	args, err := textList(options, "args")
	if err != nil {
		return err
	}
	entries, err := p.sealer.texts(ctx, args)
	made.command = append(made.command, entries...)
	return err
}

// addFiles adds the option files, which are downloaded into the working directory, and returns their paths.
func (p *plan) addFiles(ctx context.Context, section, folder string, made *program, options *param.Reader) (paths []string, err error) {
	names, err := textList(options, "files")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		staged, err := p.staging.fetch(ctx, section, name, false)
		if err != nil {
			return nil, err
		}
		to := folder + "/" + staged.name
		made.fetches(staged, to, nil)
		paths = append(paths, to)
	}
	return paths, nil
}

func (p *plan) hive(ctx context.Context, section string, options *param.Reader) (*program, error) {
	name, err := options.String("script")
	if err != nil {
		return nil, err
	}
	script, err := p.staging.fetch(ctx, section, name, false)
	if err != nil {
		return nil, err
	}
	made := &program{title: "Hive Script", command: plainTexts("hive-script", "--run-hive-script", "--args", "-f", script.uri)}
	if err := p.addPairs(ctx, made, options, "vars", "-d"); err != nil {
		return nil, err
	}
	return made, p.addPairs(ctx, made, options, "hiveconf", "-hiveconf")
}

// addPairs adds "FLAG KEY=VALUE" for each member of an object.
func (p *plan) addPairs(ctx context.Context, made *program, options *param.Reader, key, flag string) error {
	pairs, err := options.OptMap(key)
	if err != nil {
		return err
	}
	values := param.NewReader(pairs)
	for name := range pairs.All() {
		value, err := values.String(name)
		if err != nil {
			return err
		}
		entry, err := p.sealer.text(ctx, name+"="+value)
		if err != nil {
			return err
		}
		made.command = append(made.command, plainText(flag), entry)
	}
	return nil
}

func (p *plan) flink(ctx context.Context, section string, options *param.Reader) (*program, error) {
	name, err := options.String("application")
	if err != nil {
		return nil, err
	}
	containers, err := options.IntOr("yarn_containers", 2)
	if err != nil {
		return nil, err
	}
	application, err := p.staging.fetch(ctx, section, name, false)
	if err != nil {
		return nil, err
	}
	made := &program{title: "Flink Application"}
	made.fetches(application, application.path, nil)
	made.command = plainTexts("flink", "run", "-m", "yarn-cluster", "-yn", strconv.Itoa(containers), application.path)
	return made, p.addArgs(ctx, made, options)
}

// textList reads a list of texts, which may be missing.
func textList(options *param.Reader, key string) ([]string, error) {
	if raw, _ := options.Value(key); raw == nil {
		return nil, nil
	}
	list, err := options.ParsedList(key)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(list))
	for i, element := range list {
		text, ok := param.AsString(element)
		if !ok {
			return nil, param.WrongType(key, param.TypeString, element)
		}
		texts[i] = text
	}
	return texts, nil
}
