package gcp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator/gcp"
	"github.com/trowel-project/trowel/internal/operator/gcp/gcptest"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

// The configurations of jobs (operators 10.4 to 10.6).
func TestConfigurations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own  *param.Map
		want string
	}{
		"query": {
			param.Of(
				"bq>", param.Of("data", "q"), "dataset", "p:d", "destination_table", "t$20240101", "use_query_cache", "false", "maximum_billing_tier", "2",
				"table_definitions", param.Of("x", param.Of("sourceFormat", "CSV")), "user_defined_function_resources", param.List{param.Of("inlineCode", "f")},
			),
			`{"query":{"query":"q","useLegacySql":false,"useQueryCache":false,"maximumBillingTier":2,"tableDefinitions":{"x":{"sourceFormat":"CSV"}},"userDefinedFunctionResources":[{"inlineCode":"f"}],` +
				`"defaultDataset":{"datasetId":"d","projectId":"p"},"destinationTable":{"projectId":"p","datasetId":"d","tableId":"t$20240101"}}}`,
		},
		"load of a list in JSON": {
			param.Of("bq_load>", `["gs://a", "gs://b"]`, "destination_table", "x:d.t", "schema", "s.json"),
			`{"load":{"sourceUris":["gs://a","gs://b"],"projectionFields":[],"schemaUpdateOptions":[],"destinationTable":{"projectId":"x","datasetId":"d","tableId":"t"},"schema":{"fields":[{"name":"n5"}]}}}`,
		},
		"load with a schema in YAML": {
			param.Of("bq_load>", "gs://a", "destination_table", "d.t", "schema", "s.yml", "skip_leading_rows", 1),
			`{"load":{"sourceUris":["gs://a"],"projectionFields":[],"schemaUpdateOptions":[],"destinationTable":{"projectId":"proj","datasetId":"d","tableId":"t"},"skipLeadingRows":1,"schema":{"fields":[{"name":"n5"}]}}}`,
		},
		"extract": {
			param.Of("bq_extract>", "t", "dataset", "d", "destination", param.List{"gs://a", "gs://b"}, "print_header", false, "compression", "GZIP"),
			`{"extract":{"sourceTable":{"projectId":"proj","datasetId":"d","tableId":"t"},"destinationUris":["gs://a","gs://b"],"printHeader":false,"compression":"GZIP"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gcptest.Start(t)
			f := g.Task(t, c.own).With("n", 5).File("s.json", `{"fields": [{"name": "n${n}"}]}`).File("s.yml", "fields:\n- name: n${n}\n")
			if _, _, err := f.RunToEnd(); err != nil {
				t.Fatal(err)
			}
			sent, _ := param.ParseMap(g.Bodies[0])
			config, _ := sent.Get("configuration")
			if diff := cmp.Diff(c.want, param.JSON(config)); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

// Wrong options and secrets fail the task before a request, also where Digdag tries for ever.
func TestOptionErrors(t *testing.T) {
	t.Parallel()
	given := map[string]string{"gcp.credential": gcptest.Start(t).Credential()}
	withoutProject := strings.Replace(given["gcp.credential"], `"project_id":"proj"`, `"x":"y"`, 1)
	for _, c := range []struct {
		own     *param.Map
		secrets map[string]string
		want    string
	}{
		{param.Of("bq>", nil), given, "Parameter 'query' is required but not set (config)"},
		{param.Of("bq>", "none.sql"), given, "File not found: DIR/none.sql (config)"},
		{param.Of("bq>", param.Of("data", "q"), "dataset", ":d"), given, "Bad dataset reference: :d (illegal argument)"},
		{param.Of("bq>", param.Of("data", "q"), "use_query_cache", "yes"), given, "Expected 'true' or 'false' for key 'use_query_cache' but got \"yes\" (string) (config)"},
		{param.Of("bq_load>", "gs://a"), given, "Parameter 'destination_table' is required but not set (config)"},
		{param.Of("bq_load>", "gs://a", "destination_table", "t"), given, "Bad table reference. Either configure 'dataset' or include dataset name in table reference: t (illegal argument)"},
		{param.Of("bq_load>", "gs://a", "destination_table", "d.t-x"), given, "Bad table reference: d.t-x (illegal argument)"},
		{param.Of("bq_extract>", "d.t"), given, "Parameter 'destination' is required but not set (config)"},
		{param.Of("bq_ddl>", nil, "delete_tables", param.List{param.Of("id", "x")}), given, `Bad table reference: {"id":"x"} (illegal argument)`},
		{param.Of("bq_ddl>", nil, "create_tables", param.List{param.Of("id", "x")}), given, "Bad table reference or configuration: Missing 'dataset' (config)"},
		{param.Of("bq_ddl>", nil, "create_datasets", param.List{param.Of("location", "x")}), given, `Invalid dataset reference or configuration: {"location":"x"} (config)`},
		{param.Of("bq_ddl>", nil, "create_tables", param.List{param.List{}}), given, `Invalid table reference or configuration: [] (config)`},
		{param.Of("bq>", param.Of("data", "q")), map[string]string{"gcp.credential": "x"}, "Unable to parse 'gcp.credential' secret"},
		{param.Of("bq>", param.Of("data", "q")), map[string]string{"gcp.credential": `{"type": "external_account"}`}, "Unable to parse 'gcp.credential' secret"},
		{param.Of("bq>", param.Of("data", "q")), map[string]string{"gcp.credential": withoutProject}, "Missing 'gcp.project' secret"},
		{param.Of("gcs_wait>", "gs://b"), given, "Illegal GCS URI or path: gs://b (config)"},
	} {
		f := operatortest.New(t, gcp.Table(gcp.Options{BigQuery: "http://127.0.0.1:1", Storage: "http://127.0.0.1:1"}), c.own).Secrets(c.secrets)
		_, err := f.Run()
		if got := strings.ReplaceAll(operatortest.Message(err), f.Project, "DIR"); got != c.want {
			t.Errorf("%s: %q, want %q", param.JSON(c.own), got, c.want)
		}
	}
}

// Changes of datasets and tables come in a fixed order, and go on where a failed one was (operators 10.7).
func TestDDL(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	listed := 0
	g.Fault = func(w http.ResponseWriter, request string, done bool) bool {
		if !done {
			return false
		}
		status, text := 200, `{}`
		switch {
		case strings.HasSuffix(request, "/token"):
			return false
		case strings.HasSuffix(request, "/datasets/old/tables"):
			if listed++; listed == 1 {
				text = `{"nextPageToken": "x", "tables": [{"tableReference": {"tableId": "t1"}}]}`
			}
		case strings.HasSuffix(request, "/datasets/gone"):
			status = 404
		case strings.HasSuffix(request, "/tables/late") && listed < 4:
			listed, status = listed+1, 503
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
		return true
	}
	f := g.Task(t, param.Of(
		"bq_ddl>", nil, "dataset", "d",
		"create_tables", param.List{param.Of("id", "t", "expiration_time", "2024-06-01T00:00:00", "labels", param.Of("a", "b"), "description", "x")},
		"empty_tables", param.List{"late"},
		"delete_datasets", param.List{"a:b:c", "gone", "old"},
	))
	_, pauses, err := f.RunToEnd()
	if err != nil {
		t.Fatal(err)
	}
	if len(pauses) != 2 {
		t.Errorf("pauses %v, want two for the answers 503", pauses)
	}
	want := `GET /bigquery/v2/projects/a/datasets/b:c
GET /bigquery/v2/projects/a/datasets/b:c/tables
DELETE /bigquery/v2/projects/a/datasets/b:c
GET /bigquery/v2/projects/proj/datasets/gone
GET /bigquery/v2/projects/proj/datasets/old
GET /bigquery/v2/projects/proj/datasets/old/tables
DELETE /bigquery/v2/projects/proj/datasets/old/tables/t1
GET /bigquery/v2/projects/proj/datasets/old/tables
DELETE /bigquery/v2/projects/proj/datasets/old
DELETE /bigquery/v2/projects/proj/datasets/d/tables/late
DELETE /bigquery/v2/projects/proj/datasets/d/tables/late
DELETE /bigquery/v2/projects/proj/datasets/d/tables/late
POST /bigquery/v2/projects/proj/datasets/d/tables
POST /bigquery/v2/projects/proj/datasets/d/tables`
	if diff := cmp.Diff(want, strings.Join(g.Requests, "\n")); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	want = `{"tableReference":{"projectId":"proj","datasetId":"d","tableId":"t"},"description":"x","labels":{"a":"b"},"expirationTime":"1717200000000"}`
	if diff := cmp.Diff(want, g.Bodies[len(g.Bodies)-1]); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}

func TestGCSWait(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	looks := 0
	g.Fault = func(w http.ResponseWriter, request string, done bool) bool {
		if request != "GET /storage/v1/b/bucket/o/a%2Fb%20c" || !done {
			return false
		}
		if looks++; looks < 3 {
			return false // not found
		}
		_, _ = w.Write([]byte(`{"name": "a/b c", "size": "42", "updated": "2024-01-01T00:00:00.5Z", "generation": "7"}`))
		return true
	}
	f := g.Task(t, param.Of("gcs_wait>", "gs://bucket/a/b c"))
	outcome, pauses, err := f.RunToEnd()
	if err != nil || len(pauses) != 2 {
		t.Fatalf("error %v, pauses %v", err, pauses)
	}
	want := `{"gcs_wait":{"last_object":{"metadata":{"name":"a/b c","size":42,"updated":{"value":1704067200500,"dateOnly":false,"timeZoneShift":0},"generation":7}}}}`
	if diff := cmp.Diff(want, param.JSON(outcome.Result.Store)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}
