package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
)

// Config holds the settings of a command: a flat map of texts (server 1.5).
type Config struct {
	values map[string]string
	from   map[string]string // where each stands
}

// add puts settings on top of what is there.
func (c Config) add(values map[string]string, from string) {
	for key, value := range values {
		c.values[key], c.from[key] = value, from
	}
}

// Settings returns all settings with the places where they stand: paths of files, DIGDAG_CONFIG, -X.
func (c Config) Settings() config.Settings {
	all := make(config.Settings, len(c.values))
	for key, value := range c.values {
		all[key] = config.Setting{Value: value, From: c.from[key]}
	}
	return all
}

// Get returns a setting and whether there is one.
func (c Config) Get(key string) (string, bool) {
	value, found := c.values[key]
	return value, found
}

// All yields all settings in the order of their keys.
func (c Config) All() iter.Seq2[string, string] { return c.Prefix("") }

// Prefix yields the settings whose keys begin with a prefix, in the order of their keys, which are
// given without the prefix.
func (c Config) Prefix(prefix string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, key := range slices.Sorted(maps.Keys(c.values)) {
			rest, found := strings.CutPrefix(key, prefix)
			if found && !yield(rest, c.values[key]) {
				return
			}
		}
	}
}

// config gathers the settings of this command line, from the weakest source to the strongest:
// the default file unless there is --config, the text in DIGDAG_CONFIG, -X, the file of --config.
func (c *call) config() (Config, error) {
	config := Config{values: map[string]string{}, from: map[string]string{}}
	if c.configPath == "" {
		if err := config.addDefaultFile(c.env); err != nil {
			return Config{}, useSettings(c).Failed(err)
		}
	}
	text, _ := c.env.Lookup("DIGDAG_CONFIG")
	values, err := parseProperties(text)
	if err != nil {
		return Config{}, fmt.Errorf("read settings in DIGDAG_CONFIG: %w", err)
	}
	config.add(values, "DIGDAG_CONFIG")
	for _, setting := range c.args.pairs("-X") {
		config.add(map[string]string{setting.key: setting.value}, "-X")
	}
	if c.configPath != "" {
		if err := config.addFile(c.env, c.configPath); err != nil {
			return Config{}, useSettings(c).Failed(err)
		}
	}
	return config, config.addLimits()
}

// addLimits takes the limits that Digdag reads from properties of the JVM, which -X sets and files do not
// (server 1.5): they are defaults of settings.
func (c Config) addLimits() error {
	for _, limit := range []struct{ property, key string }{
		{"io.digdag.limits.maxWorkflowTasks", "executor.task_max_run"},
		{"io.digdag.limits.maxAttempts", "executor.attempt_max_run"},
	} {
		text, set := c.values[limit.property]
		if !set || c.from[limit.property] != "-X" {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err != nil || n < 1 {
			return fmt.Errorf("-X %s=%s: want a number from 1 on", limit.property, text)
		}
		delete(c.values, limit.property)
		if _, other := c.values[limit.key]; !other {
			c.add(map[string]string{limit.key: strings.TrimSpace(text)}, "-X")
		}
	}
	return nil
}

// addDefaultFile reads the file that TROWEL_CONFIG names, which must exist; without the variable
// the first that exists of Trowel's own file and Digdag's, if any.
func (c Config) addDefaultFile(env Env) error {
	if file, set := env.lookupText("TROWEL_CONFIG"); set {
		return c.addFile(env, file)
	}
	for _, home := range []func() (string, error){env.trowelHome, env.digdagHome} {
		dir, err := home()
		if err != nil {
			continue // there is no home, so there is no file in it
		}
		err = c.addFile(env, filepath.Join(dir, "config"))
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// addFile reads a properties file on top of what is there.
func (c Config) addFile(env Env, file string) error {
	data, err := env.readFile(file)
	if err != nil {
		return err
	}
	values, err := parseLatin1Properties(data)
	if err != nil {
		return fmt.Errorf("read settings in %s: %w", file, err)
	}
	c.add(values, file)
	return nil
}

// trowelHome is the folder of Trowel's own configuration.
func (e Env) trowelHome() (string, error) {
	dir, err := e.configFolder()
	return filepath.Join(dir, "trowel"), err
}

// digdagHome is the folder of Digdag's configuration and of the local secrets.
func (e Env) digdagHome() (string, error) {
	if dir, set := e.lookupText("DIGDAG_CONFIG_HOME"); set {
		return e.path(dir), nil
	}
	dir, err := e.configFolder()
	return filepath.Join(dir, "digdag"), err
}

// configFolder is the folder in which programs keep the user's configuration.
func (e Env) configFolder() (string, error) {
	if dir, set := e.lookupText("XDG_CONFIG_HOME"); set {
		return e.path(dir), nil
	}
	variable := "HOME"
	if runtime.GOOS == "windows" {
		variable = "USERPROFILE"
	}
	home, set := e.lookupText(variable)
	if !set {
		return "", fmt.Errorf("find the configuration folder: neither XDG_CONFIG_HOME nor %s is set", variable)
	}
	return e.path(filepath.Join(home, ".config")), nil
}

// useSettings is the use of a file of settings.
func useSettings(c *call) fix.Use {
	if c.configPath != "" {
		return fix.UseConfigOption
	}
	if _, set := c.env.lookupText("TROWEL_CONFIG"); set {
		return fix.UseConfigVariable
	}
	return fix.UseConfigFile
}
