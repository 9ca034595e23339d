package gcp

import (
	"context"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// extractFields are the options of bq_extract> (operators 10.6).
var extractFields = []field{ //nolint:gochecknoglobals // a constant of a type that has none
	{"print_header", "printHeader", boolean},
	{"field_delimiter", "fieldDelimiter", text},
	{"destination_format", "destinationFormat", text},
	{"compression", "compression", text},
}

func extractJob(_ context.Context, _ *operator.Request, params *param.Reader, project string) (*param.Map, error) {
	name, err := params.String("_command")
	if err != nil {
		return nil, err
	}
	destinations, err := textOrList(params, "destination")
	if err != nil {
		return nil, err
	}
	otherwise, err := optDataset(params)
	if err != nil {
		return nil, err
	}
	source, err := parseTable(name, otherwise, project)
	if err != nil {
		return nil, err
	}
	config := param.Of("sourceTable", source.reference(), "destinationUris", destinations)
	if err := copyFields(params, config, extractFields); err != nil {
		return nil, err
	}
	return param.Of("extract", config), nil
}
