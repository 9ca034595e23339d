package gcp

import (
	"context"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// kind is the type of an option that is sent as it is.
type kind uint8

const (
	text kind = iota
	boolean
	number
	object
	list
)

// field is an option that is sent in the configuration of a job.
type field struct {
	option, member string
	kind           kind
}

// copyFields reads options and puts those that are set into a configuration.
func copyFields(params *param.Reader, into *param.Map, fields []field) error {
	for _, f := range fields {
		if raw, _ := params.Value(f.option); raw == nil {
			continue
		}
		value, err := f.read(params)
		if err != nil {
			return err
		}
		into.Set(f.member, value)
	}
	return nil
}

func (f field) read(params *param.Reader) (param.Value, error) {
	switch f.kind {
	case boolean:
		return params.Bool(f.option)
	case number:
		n, err := params.Int(f.option)
		return int64(n), err
	case object:
		return params.ParsedMap(f.option)
	case list:
		return params.ParsedList(f.option)
	case text:
		return params.String(f.option)
	}
	return nil, nil //nolint:nilnil // there are no other kinds
}

// queryFields are the options of bq> (operators 10.4).
var queryFields = []field{ //nolint:gochecknoglobals // a constant of a type that has none
	{"allow_large_results", "allowLargeResults", boolean},
	{"use_query_cache", "useQueryCache", boolean},
	{"create_disposition", "createDisposition", text},
	{"write_disposition", "writeDisposition", text},
	{"flatten_results", "flattenResults", boolean},
	{"maximum_billing_tier", "maximumBillingTier", number},
	{"priority", "priority", text},
	{"table_definitions", "tableDefinitions", object},
	{"user_defined_function_resources", "userDefinedFunctionResources", list},
}

func queryJob(ctx context.Context, r *operator.Request, params *param.Reader, project string) (*param.Map, error) {
	query, err := r.CommandText(ctx, params, "query")
	if err != nil {
		return nil, err
	}
	legacy, err := params.BoolOr("use_legacy_sql", false)
	if err != nil {
		return nil, err
	}
	config := param.Of("query", query, "useLegacySql", legacy)
	if err := copyFields(params, config, queryFields); err != nil {
		return nil, err
	}
	otherwise, err := optDataset(params)
	if err != nil {
		return nil, err
	}
	if otherwise.id != "" {
		config.Set("defaultDataset", otherwise.reference())
	}
	if err := destinationTable(params, config, otherwise, project); err != nil {
		return nil, err
	}
	return param.Of("query", config), nil
}

// destinationTable reads the option destination_table, if it is set.
func destinationTable(params *param.Reader, config *param.Map, otherwise dataset, project string) error {
	name, found, err := params.OptString("destination_table")
	if err != nil || !found {
		return err
	}
	to, err := parseTable(name, otherwise, project)
	if err != nil {
		return err
	}
	config.Set("destinationTable", to.reference())
	return nil
}
