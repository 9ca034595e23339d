package gcp

import (
	"context"
	"maps"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
)

// Options are the system's settings for the operators. The zero value has the defaults.
type Options struct {
	// Env looks up proxies in the environment (operators 1.16). Nil for none.
	Env func(name string) (string, bool)
	// BigQuery and Storage are the addresses of the services, up to the version of their API. Empty for Google's.
	BigQuery, Storage string
}

// operators run tasks. They share connections and tokens.
type operators struct {
	*client
	options Options
}

// begin reads the secrets of a task.
func (o *operators) begin(ctx context.Context, r *operator.Request) (*session, error) {
	warnOfProxy(o.options.Env, r.Log)
	return o.client.begin(ctx, r)
}

// Table returns the operators for Google Cloud.
func Table(options Options) operator.Table {
	o := &operators{client: newClient(options), options: options}
	bq := func(d operator.Definition) operator.Definition {
		d.Wrapped, d.Blocks = true, []string{"bq"}
		return d
	}
	return operator.Table{
		"gcs_wait": {
			Run: o.runGCSWait, Wrapped: true, NoFiles: true, Blocks: []string{"gcs"}, Doc: "waits for an object in Google Cloud Storage",
			Needs:   [][]string{{dig.NeedsValue, "bucket"}, {dig.NeedsValue, "object"}},
			Command: operator.Text().About("the object, as `gs://BUCKET/NAME`, with or without `gs://`"),
			Keys: map[string]dig.Value{
				"bucket": operator.Text().About("the bucket, where there is no command"),
				"object": operator.Text().About("the name of the object, where there is no command"),
			},
		},
		"bq": bq(operator.Definition{
			Run: o.runJob(queryJob), CancelJob: o.cancelJob, Doc: "runs a query in BigQuery",
			Command: operator.Anything().About("the file with the query, or `{data: QUERY}`"), Keys: queryKeys(), Needs: [][]string{{dig.NeedsValue, "query"}},
		}),
		"bq_load": bq(operator.Definition{
			Run: o.runJob(loadJob), CancelJob: o.cancelJob, Doc: "loads files from Google Cloud Storage into a table of BigQuery",
			Command: dig.Value{Kind: dig.TextOrList}.About("addresses of files, as `gs://BUCKET/NAME`"), NeedsCommand: true, Keys: loadKeys(), Needs: [][]string{{"destination_table"}},
		}),
		"bq_extract": bq(operator.Definition{
			Run: o.runJob(extractJob), CancelJob: o.cancelJob, NoFiles: true, Doc: "writes a table of BigQuery into files in Google Cloud Storage",
			Command: operator.Text().About("the table"), NeedsCommand: true, Keys: extractKeys(), Needs: [][]string{{"destination"}},
		}),
		"bq_ddl": bq(operator.Definition{
			Run: o.runDDL, NoFiles: true, Doc: "creates, empties and deletes datasets and tables of BigQuery", Keys: ddlKeys(),
		}),
	}
}

// placeKeys are options of several operators.
func placeKeys(more map[string]dig.Value) map[string]dig.Value {
	keys := map[string]dig.Value{
		"dataset":  operator.Text().About("the dataset of tables that are named without one, as `DATASET` or `PROJECT:DATASET`"),
		"location": operator.Text().About("the location of the job, where it is not `US` or `EU`"),
	}
	maps.Copy(keys, more)
	return keys
}

func disposition(doc string, choices ...string) dig.Value {
	return operator.OneOf(choices...).About(doc)
}

func queryKeys() map[string]dig.Value {
	return placeKeys(map[string]dig.Value{
		"allow_large_results":             operator.Boolean().About("whether a result of legacy SQL may be large; needs `destination_table`"),
		"create_disposition":              disposition("whether the destination is created", "CREATE_IF_NEEDED", "CREATE_NEVER"),
		"destination_table":               operator.Text().About("the table for the result, as `[PROJECT:][DATASET.]TABLE`"),
		"flatten_results":                 operator.Boolean().About("whether nested fields of a result of legacy SQL are flattened"),
		"maximum_billing_tier":            operator.Integer().About("the highest billing tier"),
		"priority":                        disposition("when it runs", "INTERACTIVE", "BATCH"),
		"query":                           operator.Text().About("the query, where there is no command"),
		"table_definitions":               operator.Object().About("tables outside BigQuery, by their names").DiffersBy("in Digdag the task fails"),
		"use_legacy_sql":                  operator.Boolean().About("whether the query is in legacy SQL").Or("false"),
		"use_query_cache":                 operator.Boolean().About("whether the result may come from the cache"),
		"user_defined_function_resources": operator.ListOf(operator.Anything()).About("functions of the query: a list of `{resourceUri: ...}` or `{inlineCode: ...}`").DiffersBy("in Digdag the task fails"),
		"write_disposition":               disposition("what happens to rows that the destination has", "WRITE_TRUNCATE", "WRITE_APPEND", "WRITE_EMPTY"),
	})
}

func loadKeys() map[string]dig.Value {
	return placeKeys(map[string]dig.Value{
		"allow_jagged_rows":     operator.Boolean().About("whether columns may be missing at the end of a line"),
		"allow_quoted_newlines": operator.Boolean().About("whether quoted values may have line breaks"),
		"autodetect":            operator.Boolean().About("whether BigQuery finds out the schema"),
		"create_disposition":    disposition("whether the table is created", "CREATE_IF_NEEDED", "CREATE_NEVER"),
		"destination_table":     operator.Text().About("required: the table, as `[PROJECT:][DATASET.]TABLE`"),
		"encoding":              operator.Text().About("the encoding of CSV files, such as `UTF-8`"),
		"field_delimiter":       operator.Text().About("what separates values in CSV files"),
		"ignore_unknown_values": operator.Boolean().About("whether values that are not in the schema are passed over"),
		"max_bad_records":       operator.Integer().About("how many bad records do not fail the job"),
		"projection_fields":     operator.ListOf(operator.Text()).About("properties of a Datastore backup that are loaded"),
		"quote":                 operator.Text().About("what quotes values in CSV files"),
		"schema":                operator.Anything().About("the schema: an object with `fields`, or the name of a file in JSON (`.json`) or YAML"),
		"schema_update_options": operator.ListOf(operator.Text()).About("how the schema of the table may change, such as `ALLOW_FIELD_ADDITION`"),
		"skip_leading_rows":     operator.Integer().About("lines that are passed over at the beginning"),
		"source_format":         operator.Text().About("the format of the files, such as `CSV` or `NEWLINE_DELIMITED_JSON`"),
		"write_disposition":     disposition("what happens to rows that the table has", "WRITE_TRUNCATE", "WRITE_APPEND", "WRITE_EMPTY"),
	})
}

func extractKeys() map[string]dig.Value {
	return placeKeys(map[string]dig.Value{
		"compression":        operator.Text().About("how files are compressed, such as `GZIP`"),
		"destination":        dig.Value{Kind: dig.TextOrList}.About("required: addresses of the files, as `gs://BUCKET/NAME-*.csv`"),
		"destination_format": operator.Text().About("the format of the files, such as `CSV`, `NEWLINE_DELIMITED_JSON` or `AVRO`"),
		"field_delimiter":    operator.Text().About("what separates values in CSV files"),
		"print_header":       operator.Boolean().About("whether CSV files have a header"),
	})
}

func ddlKeys() map[string]dig.Value {
	datasets := func(doc string) dig.Value {
		return dig.Value{Kind: dig.JSONList, Doc: doc + ": a list of `[PROJECT:]DATASET`, or of `{id: ..., project: ..., location: ..., ...}`"}
	}
	tables := func(doc string) dig.Value {
		return dig.Value{Kind: dig.JSONList, Doc: doc + ": a list of `[PROJECT:][DATASET.]TABLE`, or of `{id: ..., dataset: ..., schema: ..., ...}`"}
	}
	return map[string]dig.Value{
		"create_datasets": datasets("datasets that are created unless they exist"),
		"create_tables":   tables("tables that are created unless they exist"),
		"dataset":         operator.Text().About("the dataset of tables that are named without one, as `DATASET` or `PROJECT:DATASET`"),
		"delete_datasets": dig.Value{Kind: dig.JSONList}.About("datasets that are deleted with their tables, if they exist: a list of `[PROJECT:]DATASET`"),
		"delete_tables":   dig.Value{Kind: dig.JSONList}.About("tables that are deleted, if they exist: a list of `[PROJECT:][DATASET.]TABLE`"),
		"empty_datasets":  datasets("datasets that are deleted and created again"),
		"empty_tables":    tables("tables that are deleted and created again"),
	}
}
