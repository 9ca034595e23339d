package td

import (
	"context"
	"fmt"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 8.5.
const (
	renameOtherDatabase = "'to' option of rename_tables can't include database name"
	renameMissing       = "Renaming table %s.%s doesn't exist"
)

// Keys of the state of td_ddl> (operators 8.5).
const (
	keyOperation   = "operation"
	keyRetry       = "retry"
	keyRenameCheck = "rename_check_operation"
	keyRenameRetry = "rename_check_retry"
)

// change is one change of databases and tables.
type change func(ctx context.Context, t *task) error

// rename gives a table another name in its database.
type rename struct {
	from tableRef
	to   string
}

// ddl is what a td_ddl> does (operators 8.5).
type ddl struct {
	dropDatabases, createDatabases, emptyDatabases []string
	dropTables, createTables, emptyTables          []tableRef
	renames                                        []rename
}

func (f *family) runDDL(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	t, err := f.begin(ctx, r)
	if err != nil {
		return operator.Outcome{}, err
	}
	var d ddl
	if err := d.read(t.params); err != nil {
		return operator.Outcome{}, operator.Unretried(err)
	}
	if err := t.connect(ctx, true); err != nil {
		return operator.Outcome{}, err
	}
	return t.outcome(operator.Outcome{}, d.run(ctx, t))
}

func (d *ddl) read(params *param.Reader) error {
	for _, list := range []struct {
		key  string
		into *[]string
	}{{"drop_databases", &d.dropDatabases}, {"create_databases", &d.createDatabases}, {"empty_databases", &d.emptyDatabases}} {
		names, err := readNames(params, list.key)
		if err != nil {
			return err
		}
		*list.into = names
	}
	for _, list := range []struct {
		key  string
		into *[]tableRef
	}{{"drop_tables", &d.dropTables}, {"create_tables", &d.createTables}, {"empty_tables", &d.emptyTables}} {
		names, err := readNames(params, list.key)
		if err != nil {
			return err
		}
		for _, name := range names {
			*list.into = append(*list.into, parseTable(name))
		}
	}
	return d.readRenames(params)
}

// readNames reads a list of names, which may be missing.
func readNames(params *param.Reader, key string) ([]string, error) {
	list, err := optList(params, key)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list))
	for _, element := range list {
		name, ok := param.AsString(element)
		if !ok {
			return nil, param.WrongType(key, "array type", list)
		}
		names = append(names, name)
	}
	return names, nil
}

func optList(params *param.Reader, key string) (param.List, error) {
	if value, _ := params.Value(key); value == nil {
		return nil, nil
	}
	return operator.ParsedList(params, key)
}

func (d *ddl) readRenames(params *param.Reader) error {
	list, err := optList(params, "rename_tables")
	if err != nil {
		return err
	}
	for _, element := range list {
		object, ok := element.(*param.Map)
		if !ok {
			return param.WrongType("rename_tables", "array type", list)
		}
		pair := param.NewReader(object)
		from, err := readTable(pair, "from")
		if err != nil {
			return err
		}
		to, err := pair.String("to")
		if err != nil {
			return err
		}
		if strings.Contains(to, ".") {
			return param.Errorf(renameOtherDatabase)
		}
		d.renames = append(d.renames, rename{from, to})
	}
	return nil
}

// run checks that all tables exist that are renamed, and then makes the changes. It goes on with the one that failed before.
func (d *ddl) run(ctx context.Context, t *task) error {
	if !t.steps.State().Has(keyOperation) {
		if err := t.runFrom(ctx, keyRenameCheck, keyRenameRetry, d.checks()); err != nil {
			return err
		}
		t.steps.State().Delete(keyRenameCheck)
		t.steps.State().Delete(keyRenameRetry)
	}
	return t.runFrom(ctx, keyOperation, keyRetry, d.changes())
}

// runFrom makes changes from the one on that the state names. Each is tried again while its failure may pass.
func (t *task) runFrom(ctx context.Context, key, retryKey string, changes []change) error {
	first, err := t.steps.Read().IntOr(key, 0)
	if err != nil {
		return err
	}
	for i := first; i < len(changes); i++ {
		t.steps.State().Set(key, int64(i))
		err := t.steps.Retry(t.retryHow(retryKey), func(*operator.Steps) error { return changes[i](ctx, t) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *ddl) checks() []change {
	var checks []change
	for _, rename := range d.renames {
		checks = append(checks, func(ctx context.Context, t *task) error {
			database := rename.from.in(t.database)
			there, err := t.client.HasTable(ctx, database, rename.from.table)
			if err == nil && !there {
				err = &operator.Error{Kind: operator.KindConfig, Message: fmt.Sprintf(renameMissing, database, rename.from.table)}
			}
			return err
		})
	}
	return checks
}

// changes returns the changes in their order, whatever that of the lists is.
func (d *ddl) changes() []change {
	var changes []change
	for _, names := range [][]string{d.dropDatabases, d.emptyDatabases} {
		for _, name := range names {
			changes = append(changes, func(ctx context.Context, t *task) error { return gone(t.client.DeleteDatabase(ctx, name)) })
		}
	}
	for _, names := range [][]string{d.createDatabases, d.emptyDatabases} {
		for _, name := range names {
			changes = append(changes, func(ctx context.Context, t *task) error { return ensureDatabase(ctx, t.client, name) })
		}
	}
	for _, tables := range [][]tableRef{d.dropTables, d.emptyTables} {
		for _, table := range tables {
			changes = append(changes, func(ctx context.Context, t *task) error {
				return gone(t.client.DeleteTable(ctx, table.in(t.database), table.table))
			})
		}
	}
	for _, tables := range [][]tableRef{d.createTables, d.emptyTables} {
		for _, table := range tables {
			changes = append(changes, func(ctx context.Context, t *task) error {
				return ensureTable(ctx, t.client, table.in(t.database), table.table)
			})
		}
	}
	for _, rename := range d.renames {
		changes = append(changes, func(ctx context.Context, t *task) error {
			return t.client.RenameTable(ctx, rename.from.in(t.database), rename.from.table, rename.to)
		})
	}
	return changes
}
