package gcp

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 10.7.
const (
	invalidDataset = "Invalid dataset reference or configuration: "
	invalidTable   = "Invalid table reference or configuration: "
	noTableDataset = "Bad table reference or configuration: Missing 'dataset'"
)

// ddl is one run of a bq_ddl> task.
type ddl struct {
	session   *session
	otherwise dataset
	zone      *time.Location
}

// change is one thing to do.
type change func(ctx context.Context) error

// runDDL deletes, empties and creates datasets and tables (operators 10.7). The state says how far it has come.
func (o *operators) runDDL(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	params, err := r.Section("bq")
	if err != nil {
		return operator.Outcome{}, operator.Unretried(err)
	}
	s, err := o.begin(ctx, r)
	if err == nil {
		err = s.needProject()
	}
	if err != nil {
		return operator.Outcome{}, operator.Unretried(ended(ctx, err))
	}
	d := &ddl{session: s, zone: r.Lease.Zone}
	if d.otherwise, err = optDataset(params); err != nil {
		return operator.Outcome{}, operator.Unretried(err)
	}
	changes, err := d.changes(params)
	if err != nil {
		return operator.Outcome{}, operator.Unretried(err)
	}
	steps := operator.NewSteps(ctx, r)
	err = d.carryOut(ctx, steps, changes)
	return steps.Outcome(operator.Outcome{}, worded(ended(ctx, err)))
}

func (*ddl) carryOut(ctx context.Context, steps *operator.Steps, changes []change) error {
	const keyOperation = "operation"
	at, err := steps.Read().IntOr(keyOperation, 0)
	if err != nil {
		return err
	}
	for ; at < len(changes); at++ {
		steps.State().Set(keyOperation, int64(at))
		err := steps.Retry(operator.Retry{Key: "request", Passing: mayPass}, func(*operator.Steps) error { return changes[at](ctx) })
		if err != nil {
			return err
		}
	}
	return nil
}

// changes reads the lists in the order in which they are worked on.
func (d *ddl) changes(params *param.Reader) ([]change, error) {
	var all []change
	for _, list := range []struct {
		option string
		read   func(param.Value) (change, error)
	}{
		{"delete_datasets", d.deletedDataset},
		{"empty_datasets", d.emptiedDataset},
		{"create_datasets", d.createdDataset},
		{"delete_tables", d.deletedTable},
		{"empty_tables", d.emptiedTable},
		{"create_tables", d.createdTable},
	} {
		if raw, _ := params.Value(list.option); raw == nil {
			continue
		}
		elements, err := params.ParsedList(list.option)
		if err != nil {
			return nil, err
		}
		for _, element := range elements {
			one, err := list.read(element)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

func (d *ddl) deletedDataset(value param.Value) (change, error) {
	text, ok := param.AsString(value)
	if !ok {
		return nil, illegal(badDataset + param.JSON(value))
	}
	it, err := parseDataset(text)
	return func(ctx context.Context) error { return d.deleteDataset(ctx, it) }, err
}

func (d *ddl) createdDataset(value param.Value) (change, error) {
	_, body, err := d.readDataset(value)
	return func(ctx context.Context) error { return d.createDataset(ctx, body) }, err
}

func (d *ddl) emptiedDataset(value param.Value) (change, error) {
	it, body, err := d.readDataset(value)
	return func(ctx context.Context) error {
		if err := d.deleteDataset(ctx, it); err != nil {
			return err
		}
		return d.createDataset(ctx, body)
	}, err
}

func (d *ddl) deletedTable(value param.Value) (change, error) {
	text, ok := param.AsString(value)
	if !ok {
		return nil, illegal(badTable + param.JSON(value))
	}
	it, err := parseTable(text, d.otherwise, d.session.project)
	return func(ctx context.Context) error { return d.deleteTable(ctx, it) }, err
}

func (d *ddl) createdTable(value param.Value) (change, error) {
	it, body, err := d.readTable(value)
	return func(ctx context.Context) error { return d.createTable(ctx, it, body) }, err
}

func (d *ddl) emptiedTable(value param.Value) (change, error) {
	it, body, err := d.readTable(value)
	return func(ctx context.Context) error {
		if err := d.deleteTable(ctx, it); err != nil {
			return err
		}
		return d.createTable(ctx, it, body)
	}, err
}

// readDataset reads a reference or a configuration of a dataset, and makes its resource.
func (d *ddl) readDataset(value param.Value) (it dataset, body *param.Map, err error) {
	options, isMap := value.(*param.Map)
	if !isMap {
		text, ok := param.AsString(value)
		if !ok {
			return it, nil, invalid(invalidDataset, value, nil)
		}
		if it, err = parseDataset(text); err != nil {
			return it, nil, err
		}
		it = d.placed(it)
		return it, param.Of("datasetReference", it.reference()), nil
	}
	fields := param.NewReader(options)
	if it.id, err = fields.String("id"); err != nil {
		return it, nil, invalid(invalidDataset, value, err)
	}
	if it.project, err = fields.StringOr("project", ""); err != nil {
		return it, nil, invalid(invalidDataset, value, err)
	}
	it = d.placed(it)
	body = param.Of("datasetReference", it.reference())
	err = copyFields(fields, body, []field{
		{"friendly_name", "friendlyName", text},
		{"description", "description", text},
		{"location", "location", text},
		{"access", "access", list},
		{"labels", "labels", object},
	})
	if err != nil {
		return it, nil, invalid(invalidDataset, value, err)
	}
	expires, found, err := fields.OptString("default_table_expiration")
	if found && err == nil {
		var length time.Duration
		if length, err = param.ParseDuration(expires); err == nil {
			body.Set("defaultTableExpirationMs", strconv.FormatInt(length.Milliseconds(), 10))
		}
	}
	if err != nil {
		return it, nil, invalid(invalidDataset, value, err)
	}
	return it, body, nil
}

// placed adds the project of the credential to a dataset without one.
func (d *ddl) placed(it dataset) dataset {
	if it.project == "" {
		it.project = d.session.project
	}
	return it
}

// readTable reads a reference or a configuration of a table, and makes its resource.
func (d *ddl) readTable(value param.Value) (it table, body *param.Map, err error) {
	options, isMap := value.(*param.Map)
	if !isMap {
		text, ok := param.AsString(value)
		if !ok {
			return it, nil, invalid(invalidTable, value, nil)
		}
		if it, err = parseTable(text, d.otherwise, d.session.project); err != nil {
			return it, nil, err
		}
		return it, param.Of("tableReference", it.reference()), nil
	}
	fields := param.NewReader(options)
	if it, err = d.tableOf(fields); err != nil {
		return it, nil, invalid(invalidTable, value, err)
	}
	if it.dataset == "" {
		return it, nil, param.Errorf(noTableDataset)
	}
	body = param.Of("tableReference", it.reference())
	err = copyFields(fields, body, []field{
		{"friendly_name", "friendlyName", text},
		{"description", "description", text},
		{"schema", "schema", object},
		{"time_partitioning", "timePartitioning", object},
		{"view", "view", object},
		{"labels", "labels", object},
	})
	if err != nil {
		return it, nil, invalid(invalidTable, value, err)
	}
	if raw, _ := fields.Value("expiration_time"); raw != nil {
		at, err := operator.ReadTimestamp(fields, "expiration_time", d.zone)
		if err != nil {
			return it, nil, invalid(invalidTable, value, err)
		}
		body.Set("expirationTime", strconv.FormatInt(at.UnixMilli(), 10))
	}
	return it, body, nil
}

// tableOf reads the name of a table in its configuration. The dataset is empty if there is none.
func (d *ddl) tableOf(fields *param.Reader) (it table, err error) {
	if it.id, err = fields.String("id"); err != nil {
		return it, err
	}
	if it.dataset, err = fields.StringOr("dataset", d.otherwise.id); err != nil {
		return it, err
	}
	project := d.otherwise.project
	if project == "" {
		project = d.session.project
	}
	it.project, err = fields.StringOr("project", project)
	return it, err
}

// invalid returns the error about a configuration.
func invalid(text string, value param.Value, err error) error {
	return &operator.Error{Kind: operator.KindConfig, Message: text + param.JSON(value), Err: err}
}

// createDataset passes over a dataset that exists. As in Digdag the request goes to the project of the credential; the project of
// the dataset is in its resource.
func (d *ddl) createDataset(ctx context.Context, body *param.Map) error {
	_, err := d.session.call(ctx, http.MethodPost, d.address(d.session.project), body)
	return unless(err, http.StatusConflict)
}

// createTable passes over a table that exists. The request goes to the project of the credential, see createDataset.
func (d *ddl) createTable(ctx context.Context, it table, body *param.Map) error {
	_, err := d.session.call(ctx, http.MethodPost, d.address(d.session.project, it.dataset, "tables"), body)
	return unless(err, http.StatusConflict)
}

func (d *ddl) deleteTable(ctx context.Context, it table) error {
	_, err := d.session.call(ctx, http.MethodDelete, d.address(it.project, it.dataset, "tables", it.id), nil)
	return unless(err, http.StatusNotFound)
}

// deleteDataset deletes a dataset with its tables, if it exists. The list of tables is read again from its beginning until all
// of it has been deleted.
func (d *ddl) deleteDataset(ctx context.Context, it dataset) error {
	it = d.placed(it)
	if _, err := d.session.call(ctx, http.MethodGet, d.address(it.project, it.id), nil); err != nil {
		return unless(err, http.StatusNotFound)
	}
	for more := true; more; {
		page, err := d.session.call(ctx, http.MethodGet, d.address(it.project, it.id, "tables"), nil)
		if err != nil {
			return unless(err, http.StatusNotFound)
		}
		listed, _ := page.Get("tables")
		tables, _ := listed.(param.List)
		for _, one := range tables {
			resource, _ := one.(*param.Map)
			name := table{it.project, it.id, memberText(resource, "tableReference", "tableId")}
			if err := d.deleteTable(ctx, name); err != nil {
				return err
			}
		}
		more = memberText(page, "nextPageToken") != "" && len(tables) > 0
	}
	_, err := d.session.call(ctx, http.MethodDelete, d.address(it.project, it.id), nil)
	return unless(err, http.StatusNotFound)
}

// address returns the address of datasets of a project, or of what is in them.
func (d *ddl) address(project string, parts ...string) string {
	return path(d.session.client.bigQuery, append([]string{"projects", project, "datasets"}, parts...)...)
}

// unless returns the error, but nil if it is an answer with the status.
func unless(err error, status int) error {
	if statusOf(err) == status {
		return nil
	}
	return err
}
