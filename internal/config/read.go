package config

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// masked replaces a value that is never shown.
const masked = "********"

// Read checks all settings of a server and returns them with their defaults. The
// error, of kind invalid, has a line for each wrong setting, with key, value, where it is set
// and what is allowed. Warnings are about settings that are unknown, deprecated or ignored.
func Read(settings Settings) (*Server, []Warning, error) {
	r := &reader{
		settings: settings, table: newTable(),
		server: &Server{DefaultParams: param.New(), Environment: map[string]string{}, Operators: map[string]string{}},
	}
	r.readKeys()
	r.readRest()
	r.check()
	if len(r.problems) > 0 {
		return nil, r.warnings, errors.Join(r.problems...)
	}
	return r.server, r.warnings, nil
}

// reader is one call of Read.
type reader struct {
	settings Settings
	table    table
	server   *Server
	warnings []Warning
	problems []error
}

// readKeys reads every key that has one name, in the order of the tables: a type comes before what
// depends on it.
func (r *reader) readKeys() {
	for i := range r.table.keys {
		k := &r.table.keys[i]
		if setting, ok := r.settings[k.Name]; ok {
			r.set(k, k.Name, setting)
		} else if k.Default != "" {
			r.setDefault(k)
		}
	}
}

func (r *reader) set(k *Key, name string, setting Setting) {
	if err := k.set(r.server, name, setting.Value); err != nil {
		r.wrong(name, err)
	}
}

// setDefault sets a default. Operators have their own defaults, so that they know what is set.
func (r *reader) setDefault(k *Key) {
	before := len(r.server.Operators)
	if err := k.set(r.server, k.Name, k.Default); err != nil {
		r.problems = append(r.problems, fmt.Errorf("use the default of %s: %w", k.Name, err))
	}
	if len(r.server.Operators) > before {
		delete(r.server.Operators, k.Name)
	}
}

// readRest reads the keys that have no row of their own.
func (r *reader) readRest() {
	for _, name := range r.settings.keys() {
		setting := r.settings[name]
		switch k, unsupported := r.table.find(name), r.table.unsupported(name); {
		case k != nil && k.Name == name:
		case k != nil:
			r.set(k, name, setting)
		case unsupported != nil:
			r.warn(unsupported.Level, name, unsupported.Message)
		default:
			r.warn(slog.LevelWarn, name, "there is no such setting"+didYouMean(r.table.near(name)))
		}
	}
}

func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return "; did you mean " + near + "?"
}

func (r *reader) warn(level slog.Level, name, message string) {
	r.warnings = append(r.warnings, Warning{Level: level, Key: name, From: r.settings[name].From, Message: message})
}

// wrong adds an error about the text of a key.
func (r *reader) wrong(name string, err error) {
	setting := r.settings[name]
	shown := fmt.Sprintf("%q", setting.Value)
	if k := r.table.find(name); k != nil && k.Secret {
		shown = masked
	}
	r.problems = append(r.problems, &trowel.Error{
		Kind: trowel.ErrInvalid, Message: name + " = " + shown, Where: setting.From, Err: err,
	})
}

// missing adds an error about a key that must be set, and why.
func (r *reader) missing(name, because string) {
	err := &trowel.Error{Kind: trowel.ErrInvalid, Message: name + " is not set, but " + because + " needs it"}
	if setting := r.settings[because]; setting.Value != "" {
		err.Where = setting.From
		if k := r.table.find(because); k == nil || !k.Secret {
			err.Message = fmt.Sprintf("%s is not set, but %s = %q needs it", name, because, setting.Value)
		}
	}
	r.problems = append(r.problems, err)
}
