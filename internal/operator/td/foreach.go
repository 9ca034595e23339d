package td

import (
	"context"
	"fmt"
	"strconv"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
	"github.com/trowel-project/trowel/internal/param"
)

// forEach is td_for_each> (operators 8.4).
type forEach struct {
	plain
	options queryOptions
	text    string
}

func (f *forEach) read(ctx context.Context, t *task) (err error) {
	if f.text, err = t.r.CommandText(ctx, t.params, "query"); err != nil {
		return err
	}
	if _, err = t.params.MapOf("_do"); err != nil {
		return err
	}
	return f.options.read(t.params)
}

func (f *forEach) begin(ctx context.Context, t *task, domainKey string) (string, error) {
	return f.options.begin(ctx, t, f.text, domainKey)
}

// finish makes a task of each row.
func (f *forEach) finish(ctx context.Context, t *task, id string) (outcome operator.Outcome, err error) {
	err = t.steps.Retry(t.retryHow("result"), func(*operator.Steps) (err error) {
		outcome, err = f.generate(ctx, t, id)
		return err
	})
	return outcome, err
}

func (f *forEach) generate(ctx context.Context, t *task, id string) (operator.Outcome, error) {
	details, err := t.details(ctx, id)
	if err != nil {
		return operator.Outcome{}, err
	}
	loop, err := newRowLoop(t.params)
	if err != nil {
		return operator.Outcome{}, err
	}
	err = t.rows(ctx, id, func(row param.List) error {
		if loop.count == t.r.TaskLimit {
			return &operator.Error{Kind: "task limit exceeded", Message: fmt.Sprintf("Too many tasks. Limit: %d", t.r.TaskLimit)}
		}
		return loop.add(details.Columns, row)
	})
	if err != nil {
		return operator.Outcome{}, err
	}
	return loop.Finish(t.params)
}

// rowLoop is a loop over rows.
type rowLoop struct {
	*operator.Iterations
	count int
	own   *param.Map // what _do itself exports as td
	// leaked has the columns of earlier rows if _do has an _export: there, as in Digdag, a column that is null keeps
	// the value of the row before (operators 8.4). Nil if it has none.
	leaked *param.Map
}

func newRowLoop(params *param.Reader) (*rowLoop, error) {
	iterations, err := operator.NewIterations(params)
	if err != nil {
		return nil, err
	}
	loop := &rowLoop{Iterations: iterations}
	do, err := params.MapOf("_do")
	if err != nil {
		return nil, err
	}
	export, err := param.NewReader(do).OptMap("_export")
	if err != nil || export == nil {
		return loop, err
	}
	loop.leaked = param.New()
	loop.own, err = param.NewReader(export).OptMap("td")
	return loop, err
}

// add adds the task of a row.
func (l *rowLoop) add(columns []tdclient.Column, row param.List) error {
	each := l.leaked.Clone()
	for i, column := range columns {
		if i >= len(row) || row[i] == nil {
			continue
		}
		switch row[i].(type) {
		case param.List:
			return operator.Runtimef("Unsupported column type: ARRAY")
		case *param.Map:
			return operator.Runtimef("Unsupported column type: MAP")
		}
		each.Set(column.Name, row[i])
	}
	if l.leaked != nil {
		l.leaked = each
	}
	td := l.own.Clone()
	td.Set("each", each)
	name := "+td-for-each-" + strconv.Itoa(l.count)
	l.count++
	return l.Add(name, param.Of("td", td))
}
