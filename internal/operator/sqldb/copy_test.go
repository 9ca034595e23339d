package sqldb

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

// fakeCloud gives temporary keys and has one manifest.
type fakeCloud struct {
	asked   []string
	refused error
}

func (f *fakeCloud) temporary(_ context.Context, keys awsKeys, role, session string, _ int, policy string) (awsKeys, error) {
	f.asked = append(f.asked, strings.Join([]string{keys.id, role, session, policy}, " "))
	return awsKeys{id: "TMP", secret: "TMPSECRET", token: "TOKEN"}, f.refused
}

func (f *fakeCloud) read(_ context.Context, _ awsKeys, at s3Address) (string, error) {
	f.asked = append(f.asked, "read "+at.String())
	return `{"entries": [{"url": "s3://other/one"}]}`, f.refused
}

func (f *fakeCloud) clear(_ context.Context, _ awsKeys, prefix s3Address) error {
	f.asked = append(f.asked, "clear "+prefix.String())
	return f.refused
}

// heard is a connection that keeps what it was sent.
type heard struct {
	sent []string
	err  error
	done bool // the query was done before
}

func (h *heard) run(_ context.Context, text string) error {
	h.sent = append(h.sent, text)
	if h.done && strings.HasPrefix(text, "CREATE TABLE") {
		return &serverError{state: stateDuplicate}
	}
	return nil
}

func (h *heard) update(_ context.Context, text string) error {
	h.sent = append(h.sent, text)
	return h.err
}
func (h *heard) query(context.Context, string, func(rows) error) error { return nil }
func (h *heard) close()                                                {}

// copying returns the table of both operators, on a connection that is heard.
func copying(aws cloud, at *heard) operator.Table {
	d := newRedshift()
	d.connect = func(context.Context, login) (connection, error) { return at, nil }
	c := &copier{database: newDatabase(d, Settings{}), cloud: aws}
	return operator.Table{
		"redshift_load":   {Run: c.load, Wrapped: true, NoFiles: true},
		"redshift_unload": {Run: c.unload, Wrapped: true, NoFiles: true},
	}
}

func copyTaskOf(t *testing.T, aws cloud, at *heard, name string, options ...any) *operatortest.Fixture {
	t.Helper()
	own := param.Of(name+">", nil, "strict_transaction", false)
	own.Merge(param.Of(options...))
	f := operatortest.New(t, copying(aws, at), own)
	f.State = param.Of("queryId", "ID")
	return f.With("redshift", param.Of("host", "h", "user", "u", "database", "d")).Secrets(map[string]string{
		"aws.access_key_id": "KEY", "aws." + name + ".secret_access_key": `SE'C\RET`, "aws.redshift.password": "p",
	})
}

// mustErr runs a task and returns its error.
func mustErr(f *operatortest.Fixture) error {
	_, err := f.Run()
	return err
}

func TestCopyStatement(t *testing.T) {
	t.Parallel()
	aws, at := &fakeCloud{}, &heard{}
	f := copyTaskOf(t, aws, at, "redshift_load", "table", "t", "from", "s3://bucket/m", "manifest", true, "column_list", "a, b", "null_as", `\N`, "role_session_name", "me")
	if _, err := f.Run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"COPY \"t\" (\"a\", \"b\") FROM 's3://bucket/m'\nCREDENTIALS 'aws_access_key_id=TMP;aws_secret_access_key=TMPSECRET;token=TOKEN'\nMANIFEST\nNULL AS '\\\\N'"}
	if diff := cmp.Diff(want, at.sent); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
	wantAsked := []string{"read s3://bucket/m", `KEY  me {"Version":"2012-10-17","Statement":[` +
		`{"Effect":"Allow","Action":["s3:ListBucket"],"Resource":["arn:aws:s3:::bucket"]},{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::bucket/m*"]},` +
		`{"Effect":"Allow","Action":["s3:ListBucket"],"Resource":["arn:aws:s3:::other"]},{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::other/one*"]}]}`}
	if diff := cmp.Diff(wantAsked, aws.asked); diff != "" {
		t.Errorf("asked of AWS (-want +got):\n%s", diff)
	}
}

func TestUnloadStatement(t *testing.T) {
	t.Parallel()
	aws, at := &fakeCloud{}, &heard{}
	f := copyTaskOf(t, aws, at, "redshift_unload", "query", `select '\d'`, "to", "s3://bucket/out", "temp_credentials", false, "parallel", "off", "null_as", "")
	if _, err := f.Run(); err != nil {
		t.Fatal(err)
	}
	want := []string{`UNLOAD ('select ''\\d''') TO 's3://bucket/out/ID_'` + "\nCREDENTIALS 'aws_access_key_id=KEY;aws_secret_access_key=SE''C\\\\RET'\nNULL AS\nPARALLEL off"}
	if diff := cmp.Diff(want, at.sent); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"clear s3://bucket/out/ID_"}, aws.asked); diff != "" {
		t.Errorf("asked of AWS (-want +got):\n%s", diff)
	}
}

// The files of a query that was done are left alone when its task runs again.
func TestUnloadDoneBefore(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{false, true} {
		aws, at := &fakeCloud{}, &heard{done: done}
		f := copyTaskOf(t, aws, at, "redshift_unload", "query", "q", "to", "s3://bucket/out", "temp_credentials", false, "strict_transaction", true)
		if _, err := f.Run(); err != nil {
			t.Fatal(operatortest.Message(err))
		}
		sent := strings.Contains(strings.Join(at.sent, "\n"), "UNLOAD")
		if cleared := len(aws.asked) > 0; cleared == done || sent == done {
			t.Errorf("with the query done before: %t: files deleted: %t, UNLOAD sent: %t", done, cleared, sent)
		}
	}
}

func TestIsStatusTable(t *testing.T) {
	t.Parallel()
	const id = "0b1f5a3e-2f5e-4a53-9d3f-0123456789ab"
	for _, test := range []struct {
		name, prefix string
		want         bool
	}{
		{"status_" + id, "status", true},
		{"status_" + id, "Status", true},
		{"Status_" + id, "Status", true},
		{"__digdag_status_" + id, "__digdag_status", true},
		{"status_jobs", "status", false},
		{"statusX" + id, "status", false},
		{"status_" + id + "_old", "status", false},
		{"status_{" + id + "}", "status", false},
		{"xxdigdagxstatus_" + id, "__digdag_status", false},
	} {
		if got := isStatusTable(test.name, test.prefix); got != test.want {
			t.Errorf("isStatusTable(%s, %s) = %t, want %t", test.name, test.prefix, got, test.want)
		}
	}
}

func TestCopyFailures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		options []any
		want    string
	}{
		{"redshift_load", []any{"from", "s3://b/k"}, "Parameter 'table' is required but not set (config)"},
		{"redshift_load", []any{"table", "t"}, "Parameter 'from' is required but not set (config)"},
		{"redshift_load", []any{"table", "t", "from", "s3://b/k", "csv", "", "escape", true}, "CSV cannot be used with FIXEDWIDTH, REMOVEQUOTES, or ESCAPE (config)"},
		{"redshift_load", []any{"table", "t", "from", "s3://b/k", "delimiter", ",", "fixedwidth", "a:1"}, "DELIMITER cannot be used with FIXEDWIDTH (config)"},
		{"redshift_load", []any{"table", "t", "from", "s3://b/k", "avro", "auto", "delimiter", ","}, "AVRO cannot be used with CSV, DELIMITER, JSON or FIXEDWIDTH (config)"},
		{"redshift_load", []any{"table", "t", "from", "s3://b/k", "statupdate", "maybe"}, "STATUPDATE should be in ON/OFF/TRUE/FALSE: maybe (config)"},
		{"redshift_load", []any{"table", "t", "from", "s3://b/k", "encoding", "x; drop"}, `Parameter 'encoding' must be one word, but is "x; drop" (config)`},
		{"redshift_load", []any{"table", "t", "from", "ftp://b/k"}, "Unexpected scheme: ftp://b/k (config)"},
		{"redshift_load", []any{"table", "t", "from", "emr://c/k", "manifest", true}, "Invalid manifest file uri: emr://c/k (config)"},
		{"redshift_unload", []any{"query", "q", "to", "b/k"}, "'to' should start with 's3://'. to=b/k (config)"},
		{"redshift_unload", []any{"query", "q", "to", "s3:///k"}, "'to' includes empty bucket. to=s3:///k (config)"},
		{"redshift_unload", []any{"query", "q", "to", "s3://b", "parallel", "perhaps"}, "PARALLEL should be in ON/OFF/TRUE/FALSE: perhaps (config)"},
	} {
		if got := operatortest.Message(mustErr(copyTaskOf(t, &fakeCloud{}, &heard{}, test.name, test.options...))); got != test.want {
			t.Errorf("%s with %v: the error = %s, want %s", test.name, test.options, got, test.want)
		}
	}
}

// The server may repeat a statement in its error.
func TestCopyHidesKeys(t *testing.T) {
	t.Parallel()
	at := &heard{err: errors.New("syntax error near SE''C\\\\RET, or SE'C\\RET of KEY")}
	f := copyTaskOf(t, &fakeCloud{}, at, "redshift_load", "table", "t", "from", "s3://b/k", "temp_credentials", false)
	if got, want := operatortest.Message(mustErr(f)), "Failed to execute an update statement [syntax error near ********, or ******** of ********]"; got != want {
		t.Errorf("the error = %s, want %s", got, want)
	}
	f = copyTaskOf(t, &fakeCloud{refused: errors.New("no such thing")}, &heard{}, "redshift_load", "table", "t", "from", "s3://b/k", "manifest", true)
	if got, want := operatortest.Message(mustErr(f)), "Failed to fetch a manifest file: s3://b/k"; got != want {
		t.Errorf("the error = %s, want %s", got, want)
	}
	f = copyTaskOf(t, &fakeCloud{}, &heard{}, "redshift_load", "table", "t", "from", "s3://b/k")
	f.Secrets(map[string]string{"aws.access_key_id": "KEY"})
	if got, want := operatortest.Message(mustErr(f)), "Secret not found for key: 'secret_access_key' (secret not found)"; got != want {
		t.Errorf("the error = %s, want %s", got, want)
	}
}
