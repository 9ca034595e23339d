package td

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
	"github.com/trowel-project/trowel/internal/param"
)

// resultOptions are what is done with the result of a query (operators 8.2).
type resultOptions struct {
	download  string // absolute path of a file; empty for none
	storeLast bool
	preview   bool
}

func (o *resultOptions) read(t *task) (err error) {
	name, found, err := t.params.OptString("download_file")
	if err == nil && found {
		o.download, err = t.r.Path(name)
	}
	if err != nil {
		return err
	}
	if o.storeLast, err = t.params.BoolOr("store_last_results", false); err != nil {
		return err
	}
	o.preview, err = t.params.BoolOr("preview", false)
	return err
}

// finish does it. previewOf returns the job whose rows are shown.
func (o *resultOptions) finish(ctx context.Context, t *task, id string, previewOf func(context.Context, *task, string) (string, error)) (operator.Outcome, error) {
	if o.download != "" {
		_, err := t.steps.Once(t.retryHow("download"), func(*operator.Steps) (param.Value, error) {
			return nil, t.download(ctx, id, o.download)
		})
		if err != nil {
			return operator.Outcome{}, err
		}
		t.r.WarnOfCopy(filepath.Base(o.download))
	}
	if o.preview {
		if err := t.showPreview(ctx, id, previewOf); err != nil {
			return operator.Outcome{}, err
		}
	}
	if !o.storeLast {
		return operator.Success()
	}
	var last *param.Map
	err := t.steps.Retry(t.retryHow("result"), func(*operator.Steps) (err error) {
		last, err = t.firstRow(ctx, id)
		return err
	})
	return operator.Outcome{Result: trowel.Result{
		ResetKeys: []string{"td.last_results"}, Store: param.Of("td", param.Of("last_results", last)),
	}}, err
}

// previewRows is how many rows are shown.
const previewRows = 20

// showPreview writes the first rows into the task's log. That it cannot is no failure.
func (t *task) showPreview(ctx context.Context, id string, previewOf func(context.Context, *task, string) (string, error)) error {
	err := t.preview(ctx, id, previewOf)
	if _, again := errors.AsType[*operator.Again](err); again || err == nil || ctx.Err() != nil {
		return err
	}
	t.say(ctx, "Getting rows for preview failed: "+err.Error())
	return nil
}

func (t *task) preview(ctx context.Context, id string, previewOf func(context.Context, *task, string) (string, error)) error {
	shown, err := previewOf(ctx, t, id)
	if err != nil {
		return err
	}
	return t.steps.Retry(t.retryHow("preview"), func(*operator.Steps) error {
		var text strings.Builder
		if err := t.writeRows(ctx, shown, &text, previewRows); err != nil {
			return err
		}
		t.say(ctx, "Preview of job "+shown+":\n"+text.String())
		return nil
	})
}

// rows calls each with the rows of a job's result until it returns io.EOF, or another error.
func (t *task) rows(ctx context.Context, id string, each func(param.List) error) error {
	rows, err := t.client.Result(ctx, id)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	for err == nil {
		var row param.List
		if row, err = rows.Next(); err == nil {
			err = each(row)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// first returns the first row of a job's result; nil if there is none.
func (t *task) first(ctx context.Context, id string) (first param.List, err error) {
	err = t.rows(ctx, id, func(row param.List) error {
		first = row
		return io.EOF
	})
	if tdclient.NotFound(err) {
		return nil, nil // as INSERT and CREATE have it
	}
	return first, err
}

// firstRow returns the first row of a job's result as an object, which is empty without one.
func (t *task) firstRow(ctx context.Context, id string) (*param.Map, error) {
	row, err := t.first(ctx, id)
	if err != nil || row == nil {
		return param.New(), err
	}
	details, err := t.details(ctx, id)
	if err != nil {
		return nil, err
	}
	object := param.New()
	for i, column := range details.Columns {
		if i < len(row) {
			object.Set(column.Name, row[i])
		}
	}
	return object, nil
}
