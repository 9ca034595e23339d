package aws

import (
	"context"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts about Scala scripts, which run in Spark's shell.
const (
	scalaMode = "Only 'client' deploy_mode is supported for Spark shell scala scripts, got: '%s'"
	scalaArgs = "The 'args' parameter is not supported for Spark shell scala scripts, got: %s"
)

func (p *plan) spark(ctx context.Context, section string, options *param.Reader) (*program, error) {
	name, err := options.String("application")
	if err != nil {
		return nil, err
	}
	isScala, isPython := strings.HasSuffix(name, ".scala"), strings.HasSuffix(name, ".py")
	if isScala {
		if err := checkScala(options); err != nil {
			return nil, err
		}
	}
	application, err := p.staging.fetch(ctx, section, name, isScala || isPython)
	if err != nil {
		return nil, err
	}
	made := &program{}
	made.fetches(application, application.path, nil)
	if isScala {
		return made, p.sparkShell(ctx, section, application, made, options)
	}
	made.title = "Spark Application"
	if isPython {
		made.title = "Spark Py Script"
	}
	mode, err := options.StringOr("deploy_mode", "cluster")
	if err != nil {
		return nil, err
	}
	made.command = plainTexts("spark-submit", "--deploy-mode", mode)
	if err := p.sparkOptions(ctx, section, made, options); err != nil {
		return nil, err
	}
	args, err := textList(options, "args")
	made.command = append(append(made.command, plainText(application.path)), plainTexts(args...)...)
	return made, err
}

func checkScala(options *param.Reader) error {
	mode, err := options.StringOr("deploy_mode", "client")
	if err != nil {
		return err
	}
	if mode != "client" {
		return param.Errorf(scalaMode, mode)
	}
	args, err := textList(options, "args")
	if err == nil && len(args) > 0 {
		raw, _ := options.Value("args")
		return param.Errorf(scalaArgs, param.JSON(raw))
	}
	return err
}

func (p *plan) sparkShell(ctx context.Context, section string, application file, made *program, options *param.Reader) error {
	exit, err := p.staging.put(ctx, section, "exit-helper.scala", exitProgram)
	if err != nil {
		return err
	}
	made.title = "Spark Shell Script"
	made.fetches(exit, exit.path, nil)
	made.command = plainTexts("spark-shell", "--deploy-mode", "client")
	if err := p.sparkOptions(ctx, section, made, options); err != nil {
		return err
	}
	made.command = append(made.command, plainTexts("-i", application.path, exit.path)...)
	return nil
}

// sparkOptions adds submit_options, class, jars, files and conf.
func (p *plan) sparkOptions(ctx context.Context, section string, made *program, options *param.Reader) error {
	more, err := textList(options, "submit_options")
	if err != nil {
		return err
	}
	made.command = append(made.command, plainTexts(more...)...)
	class, found, err := options.OptString("class")
	if err != nil {
		return err
	}
	if found {
		made.command = append(made.command, plainTexts("--class", class)...)
	}
	if err := p.addJars(ctx, section, made, options); err != nil {
		return err
	}
	files, err := p.addFiles(ctx, section, onCluster+"/"+p.staging.tag+"/"+section+"/wd", made, options)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		made.command = append(made.command, plainTexts("--files", strings.Join(files, ","))...)
	}
	return p.addPairs(ctx, made, options, "conf", "--conf")
}

// addJars adds the option jars.
func (p *plan) addJars(ctx context.Context, section string, made *program, options *param.Reader) error {
	names, err := textList(options, "jars")
	if err != nil || len(names) == 0 {
		return err
	}
	paths := make([]string, len(names))
	for i, name := range names {
		jar, err := p.staging.fetch(ctx, section, name, false)
		if err != nil {
			return err
		}
		made.fetches(jar, jar.path, nil)
		paths[i] = jar.path
	}
	made.command = append(made.command, plainTexts("--jars", strings.Join(paths, ","))...)
	return nil
}

func (p *plan) sparkSQL(ctx context.Context, section string, options *param.Reader) (*program, error) {
	name, err := options.String("query")
	if err != nil {
		return nil, err
	}
	result, err := options.String("result")
	if err != nil {
		return nil, err
	}
	mode, err := options.StringOr("deploy_mode", "cluster")
	if err != nil {
		return nil, err
	}
	more, err := textList(options, "submit_options")
	if err != nil {
		return nil, err
	}
	wrapper, err := p.staging.put(ctx, section, "spark-sql-wrapper.py", sqlProgram)
	if err != nil {
		return nil, err
	}
	query, err := p.staging.fetch(ctx, section, name, true)
	if err != nil {
		return nil, err
	}
	made := &program{title: "Spark Sql", command: plainTexts("spark-submit", "--deploy-mode", mode)}
	made.fetches(wrapper, wrapper.path, nil)
	made.fetches(query, query.path, nil)
	sealed, err := p.sealer.texts(ctx, more)
	if err != nil {
		return nil, err
	}
	made.command = append(made.command, sealed...)
	if err := p.addJars(ctx, section, made, options); err != nil {
		return nil, err
	}
	made.command = append(made.command, plainTexts("--files", query.path)...)
	if err := p.addPairs(ctx, made, options, "conf", "--conf"); err != nil {
		return nil, err
	}
	made.command = append(made.command, plainTexts(wrapper.path, query.name, result)...)
	return made, nil
}
