package gcp

import (
	"context"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// loadFields are the options of bq_load> (operators 10.5).
var loadFields = []field{ //nolint:gochecknoglobals // a constant of a type that has none
	{"source_format", "sourceFormat", text},
	{"field_delimiter", "fieldDelimiter", text},
	{"create_disposition", "createDisposition", text},
	{"write_disposition", "writeDisposition", text},
	{"skip_leading_rows", "skipLeadingRows", number},
	{"encoding", "encoding", text},
	{"quote", "quote", text},
	{"max_bad_records", "maxBadRecords", number},
	{"allow_quoted_newlines", "allowQuotedNewlines", boolean},
	{"allow_jagged_rows", "allowJaggedRows", boolean},
	{"ignore_unknown_values", "ignoreUnknownValues", boolean},
	{"projection_fields", "projectionFields", list},
	{"autodetect", "autodetect", boolean},
	{"schema_update_options", "schemaUpdateOptions", list},
}

func loadJob(ctx context.Context, r *operator.Request, params *param.Reader, project string) (*param.Map, error) {
	sources, err := textOrList(params, "_command")
	if err != nil {
		return nil, err
	}
	if _, err := params.String("destination_table"); err != nil {
		return nil, err
	}
	otherwise, err := optDataset(params)
	if err != nil {
		return nil, err
	}
	// these two are always sent
	config := param.Of("sourceUris", sources, "projectionFields", param.List{}, "schemaUpdateOptions", param.List{})
	if err := destinationTable(params, config, otherwise, project); err != nil {
		return nil, err
	}
	if err := copyFields(params, config, loadFields); err != nil {
		return nil, err
	}
	schema, err := readSchema(ctx, r, params)
	if schema != nil {
		config.Set("schema", schema)
	}
	return param.Of("load", config), err
}

// textOrList reads a text, a list of them, or the JSON text of such a list.
func textOrList(params *param.Reader, key string) (param.List, error) {
	raw, _ := params.Value(key)
	list, isList := raw.(param.List)
	if text, isText := raw.(string); isText && strings.HasPrefix(strings.TrimSpace(text), "[") {
		if parsed, err := params.ParsedList(key); err == nil {
			list, isList = parsed, true
		}
	}
	if !isList {
		one, err := params.String(key)
		return param.List{one}, err
	}
	texts := make(param.List, len(list))
	for i, element := range list {
		text, ok := param.AsString(element)
		if !ok {
			return nil, param.WrongType(key, param.TypeString, element)
		}
		texts[i] = text
	}
	return texts, nil
}

// readSchema reads the option schema: an object, or the name of a file in JSON or YAML. It is nil if it is not set.
func readSchema(ctx context.Context, r *operator.Request, params *param.Reader) (*param.Map, error) {
	raw, _ := params.Value("schema")
	name, isName := raw.(string)
	if !isName {
		return params.OptMap("schema")
	}
	text, err := r.ReadTemplate(ctx, params, name)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".json") {
		return operator.ParseYAML(text)
	}
	schema, err := param.ParseMap(text)
	if err != nil {
		return nil, &operator.Error{Kind: operator.KindConfig, Message: "Invalid schema in " + name + ": " + err.Error(), Err: err}
	}
	return schema, nil
}
