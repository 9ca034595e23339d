package sqldb

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// database runs the operators of one dialect.
type database struct {
	*dialect

	settings Settings
	gates    *gates
}

func newDatabase(d *dialect, settings Settings) *database {
	return &database{dialect: d, settings: settings, gates: newGates(settings.MaxConnections)}
}

// touchesFiles reports whether the query of a task is in a file, or its result goes into one. Errors show when the task runs.
func (d *database) touchesFiles(r *operator.Request) bool {
	params, err := r.Section(d.name)
	if err != nil {
		return false
	}
	command, found := params.Value("_command")
	_, given := command.(*param.Map)
	file, _ := params.Value("download_file")
	return found && !given || file != nil
}

// run runs a query of a task (operators 7.1).
func (d *database) run(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	params, err := r.Section(d.name)
	if err != nil {
		return operator.Outcome{}, err
	}
	to, err := d.readLogin(ctx, r, params)
	if err != nil {
		return operator.Outcome{}, err
	}
	query, err := r.CommandText(ctx, params, "query")
	if err != nil {
		return operator.Outcome{}, err
	}
	w, err := readWork(params)
	if err != nil {
		return operator.Outcome{}, err
	}
	status, err := d.readStatus(r, params)
	if err != nil {
		return operator.Outcome{}, err
	}
	if w.readOnly() {
		return d.read(ctx, r, to, w, query)
	}
	statement, results := w.statement(d.dialect, query)
	steps := operator.NewSteps(ctx, r)
	return steps.Outcome(operator.Outcome{}, d.change(ctx, r, steps, to, status, func(string, login) (string, bool, error) {
		return statement, results, nil
	}))
}

// queryKey is where the id of a query is kept, by which the status table knows it.
const (
	queryKey = "queryId"
	pollKey  = "pollInterval"
)

// change runs a statement whose results do not matter: exactly once with a status table, or else once in each run (operators 7.1,
// mode B). make returns the statement, and whether it may have results, for the id of the query.
func (d *database) change(
	ctx context.Context, r *operator.Request, steps *operator.Steps, to login, status *status, statement func(id string, to login) (string, bool, error),
) error {
	id, err := steps.Constant(queryKey, uuid.NewString)
	if err != nil {
		return err
	}
	text, results, err := statement(id, to)
	if err != nil {
		return err
	}
	err = d.with(ctx, r, to, func(c connection) error {
		work := func() error { return execute(ctx, c, text, results) }
		if status == nil {
			return work()
		}
		status.to, status.id = c, id
		return d.once(ctx, status, work)
	})
	if !asLocked(err) {
		return err
	}
	before, err := steps.Read().IntOr(pollKey, 1)
	if err != nil {
		return err
	}
	after, next := pollInterval(before)
	steps.State().Set(pollKey, next)
	return operator.Later(after)
}

func execute(ctx context.Context, c connection, text string, results bool) error {
	if results {
		return failure("Failed to execute given SQL script", c.run(ctx, text))
	}
	return failure("Failed to execute an update statement", c.update(ctx, text))
}

// read runs a query and uses its result (operators 7.1, mode A).
func (d *database) read(ctx context.Context, r *operator.Request, to login, w work, query string) (outcome operator.Outcome, err error) {
	if w.download != "" {
		return outcome, d.download(ctx, r, to, w.download, query)
	}
	err = d.with(ctx, r, to, func(c connection) error {
		return d.readOnce(ctx, c, query, func(rows rows) error {
			value, err := store(rows, w.store == storeAll, d.settings)
			outcome.Result.Store = param.Of(d.name, param.Of("last_results", value))
			return err
		})
	})
	if err != nil {
		return operator.Outcome{}, err
	}
	return outcome, nil
}

// download writes the result of a query into a file, which is there afterwards only if all of it is.
func (d *database) download(ctx context.Context, r *operator.Request, to login, name, query string) error {
	path, err := r.Path(name)
	if err != nil {
		return err
	}
	return d.with(ctx, r, to, func(c connection) error {
		file, err := newDownload(path)
		if err == nil {
			if err = d.readOnce(ctx, c, query, file.write); err != nil {
				file.drop()
				return err
			}
			err = file.keep()
		}
		if err != nil {
			return readFailure(err)
		}
		r.WarnOfCopy(name)
		return nil
	})
}

const selectFailed = "Failed to execute given SELECT statement"

func (d *database) readOnce(ctx context.Context, c connection, query string, take func(rows) error) error {
	if err := failure(selectFailed, c.run(ctx, d.readOnly)); err != nil {
		return err
	}
	var ours error // not the server's
	err := c.query(ctx, query, func(rows rows) error {
		ours = take(rows)
		return ours
	})
	if ours != nil && stateOf(ours) == "" && ctx.Err() == nil {
		return readFailure(ours)
	}
	if stateOf(err) == stateReadOnly {
		return &operator.Error{Kind: operator.KindConfig, Message: "Query must be read-only if download_file is set", Err: err}
	}
	if err != nil {
		return failure(selectFailed, err)
	}
	return failure(selectFailed, c.run(ctx, d.readWrite))
}

// with calls do with a connection, within the bound of connections to that server.
func (d *database) with(ctx context.Context, r *operator.Request, to login, do func(connection) error) error {
	r.Waiting()
	at, err := d.gates.enter(ctx, to, func() {
		r.Log.Info("waits for a connection: this agent has all that it may have to the server",
			slog.Int("connections", d.gates.size), slog.String("setting", "config."+d.name+".max_connections"))
	})
	if err != nil {
		return err
	}
	defer d.gates.leave(at)
	c, err := d.open(ctx, to)
	if err != nil {
		return err
	}
	defer c.close()
	if err = do(c); err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (d *database) open(ctx context.Context, to login) (connection, error) {
	connecting, stop := context.WithTimeoutCause(ctx, to.connectTimeout, noAnswer(to))
	defer stop()
	c, err := d.connect(connecting, to)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return c, failure("Failed to connect to the database", err)
}
