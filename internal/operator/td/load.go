package td

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 8.6.
const (
	loadBoth    = "The parameters config and name cannot both be set"
	loadCommand = "Only the command or one of the config and name params may be set"
	loadNone    = "No parameter is set"
	loadFile    = "Failed to load bulk load file"
)

// load is td_load> (operators 8.6).
type load struct {
	plain
	session string     // the name of a stored load; empty for one with a configuration
	config  *param.Map // with secrets
	table   tableRef
}

func (l *load) read(ctx context.Context, t *task) error {
	command, err := l.readSource(ctx, t)
	if err != nil || l.session != "" {
		return err
	}
	if isYAML(command) {
		if l.config, err = readLoadFile(ctx, t, command); err != nil {
			return err
		}
	}
	expanded, err := t.r.ExpandAll(ctx, l.config)
	if err != nil {
		return err
	}
	l.config, _ = expanded.(*param.Map)
	l.table, err = readTable(t.params, "table")
	return err
}

// readSource reads which of its three sources a load has, and the name of one that is stored, or the configuration in the task.
func (l *load) readSource(_ context.Context, t *task) (command string, err error) {
	command, hasCommand, err := t.params.OptString("_command")
	if err != nil {
		return "", err
	}
	name, hasName, err := t.params.OptString("name")
	if err != nil {
		return "", err
	}
	config, err := t.params.OptMap("config")
	switch {
	case err != nil:
		return "", err
	case hasCommand && (hasName || config != nil):
		return "", param.Errorf(loadCommand)
	case hasName && config != nil:
		return "", param.Errorf(loadBoth)
	case config != nil:
		l.config = config
	case hasName:
		l.session = name
	case !hasCommand:
		return "", param.Errorf(loadNone)
	case !isYAML(command):
		l.session = command
	}
	return command, nil
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")
}

func readLoadFile(ctx context.Context, t *task, name string) (*param.Map, error) {
	text, err := t.r.ReadTemplate(ctx, t.params, name)
	if err != nil {
		if ctx.Err() == nil {
			t.r.Log.Warn("the configuration of a load cannot be read", slog.String("file", name), slog.Any("error", err)) // the failure does not say why
		}
		return nil, &operator.Error{Kind: operator.KindConfig, Message: loadFile, Err: err}
	}
	config, err := operator.ParseYAML(text)
	if err != nil {
		t.r.Log.Warn("the configuration of a load is no object in YAML", slog.String("file", name), slog.Any("error", errors.Unwrap(err)))
	}
	return config, err
}

func (l *load) begin(ctx context.Context, t *task, domainKey string) (string, error) {
	if l.session != "" {
		return t.client.Session(ctx, l.session, t.sessionTime(), domainKey)
	}
	return t.client.BulkLoad(ctx, l.table.in(t.database), l.table.table, l.config, domainKey)
}
