package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
)

// Config collects the settings of this command line, from the weakest source to the strongest:
// the default file unless --config is given, the text in DIGDAG_CONFIG, -X, the file of --config.
func (c *Call) Config() (config.Settings, error) {
	settings := config.Settings{}
	if c.ConfigPath == "" {
		if err := addDefaultFile(settings, c.Env); err != nil {
			return nil, useSettings(c).Failed(err)
		}
	}
	text, _ := c.Env.Lookup("DIGDAG_CONFIG")
	values, err := parseProperties(text)
	if err != nil {
		return nil, fmt.Errorf("read settings in DIGDAG_CONFIG: %w", err)
	}
	Add(settings, values, "DIGDAG_CONFIG")
	for _, setting := range c.Args.Pairs("-X") {
		settings[setting.Key] = config.Setting{Value: setting.Value, From: "-X"}
	}
	if c.ConfigPath != "" {
		if err := AddFile(settings, c.Env, c.ConfigPath); err != nil {
			return nil, useSettings(c).Failed(err)
		}
	}
	return settings, addLimits(settings)
}

// Add adds the values of one source, which replace earlier ones.
func Add(settings config.Settings, values map[string]string, from string) {
	for key, value := range values {
		settings[key] = config.Setting{Value: value, From: from}
	}
}

// addLimits adds the limits that Digdag reads from properties of the JVM, which only -X can set (server 1.5). They are
// defaults of settings.
func addLimits(settings config.Settings) error {
	for _, limit := range []struct{ property, key string }{
		{"io.digdag.limits.maxWorkflowTasks", "executor.task_max_run"},
		{"io.digdag.limits.maxAttempts", "executor.attempt_max_run"},
	} {
		set, found := settings[limit.property]
		if !found || set.From != "-X" {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(set.Value)); err != nil || n < 1 {
			return fmt.Errorf("-X %s=%s: want a number from 1 on", limit.property, set.Value)
		}
		delete(settings, limit.property)
		if _, other := settings[limit.key]; !other {
			settings[limit.key] = config.Setting{Value: strings.TrimSpace(set.Value), From: "-X"}
		}
	}
	return nil
}

// addDefaultFile reads the file that TROWEL_CONFIG names, which must exist. Without the variable it reads Trowel's own
// file or else Digdag's, if one of them exists.
func addDefaultFile(settings config.Settings, env Env) error {
	if file, set := env.LookupText("TROWEL_CONFIG"); set {
		return AddFile(settings, env, file)
	}
	for _, home := range []func() (string, error){env.trowelHome, env.digdagHome} {
		dir, err := home()
		if err != nil {
			continue // there is no home, so there is no file in it
		}
		err = AddFile(settings, env, filepath.Join(dir, "config"))
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// AddFile adds the values of a properties file, which replace earlier ones.
func AddFile(settings config.Settings, env Env, file string) error {
	data, err := env.ReadFile(file)
	if err != nil {
		return err
	}
	values, err := parseLatin1Properties(data)
	if err != nil {
		return fmt.Errorf("read settings in %s: %w", file, err)
	}
	Add(settings, values, file)
	return nil
}

// trowelHome returns the folder of Trowel's own configuration.
func (e Env) trowelHome() (string, error) {
	dir, err := e.configFolder()
	return filepath.Join(dir, "trowel"), err
}

// digdagHome returns the folder of Digdag's configuration and of the local secrets.
func (e Env) digdagHome() (string, error) {
	if dir, set := e.LookupText("DIGDAG_CONFIG_HOME"); set {
		return e.Path(dir), nil
	}
	dir, err := e.configFolder()
	return filepath.Join(dir, "digdag"), err
}

// configFolder returns the folder in which programs keep the user's configuration.
func (e Env) configFolder() (string, error) {
	if dir, set := e.LookupText("XDG_CONFIG_HOME"); set {
		return e.Path(dir), nil
	}
	home, set := e.home()
	if !set {
		return "", fmt.Errorf("find the configuration folder: neither XDG_CONFIG_HOME nor %s is set", homeVariable())
	}
	return e.Path(filepath.Join(home, ".config")), nil
}

// home returns the user's folder, and whether there is one.
func (e Env) home() (string, bool) { return e.LookupText(homeVariable()) }

func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// useSettings returns how the file of settings was named.
func useSettings(c *Call) fix.Use {
	if c.ConfigPath != "" {
		return fix.UseConfigOption
	}
	if _, set := c.Env.LookupText("TROWEL_CONFIG"); set {
		return fix.UseConfigVariable
	}
	return fix.UseConfigFile
}
