package tdclient_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
	"github.com/trowel-project/trowel/internal/operator/td/tdtest"
	"github.com/trowel-project/trowel/internal/param"
)

// open returns a client of a service, which does not wait between tries.
func open(s *tdtest.Service, key string) *tdclient.Client {
	return tdclient.New(tdclient.Options{Host: s.Host, Key: key, Pause: time.Millisecond, Stall: 300 * time.Millisecond})
}

func failureOf(t *testing.T, err error) *tdclient.Error {
	t.Helper()
	failure, ok := errors.AsType[*tdclient.Error](err)
	if !ok {
		t.Fatalf("error = %v, want an *Error", err)
	}
	return failure
}

// Operators 8.12: the scheme is put before usual keys only.
func TestKeys(t *testing.T) {
	t.Parallel()
	usual := strings.Repeat("0123456789", 4)
	for key, want := range map[string]string{usual: "TD1 " + usual, "12/" + usual: "TD1 12/" + usual, "Bearer x": "Bearer x", "0/" + usual: "0/" + usual} {
		s := tdtest.Start(t)
		if _, err := open(s, key).HasTable(t.Context(), "db", "t"); err != nil {
			t.Fatal(err)
		}
		if got := s.Seen()[0].Header.Get("Authorization"); got != want {
			t.Errorf("key %s is sent as %q, want %q", key, got, want)
		}
	}
}

// Operators 8.12: texts and kinds of refusals, and how often the request is sent.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault      tdtest.Fault
		text, kind string
		calls      int
		passing    bool
	}{
		"bad request":     {tdtest.Fault{Status: 422, Body: `{"text":"Pool name is unknown"}`}, "[INVALID_INPUT] [422:Unprocessable Entity] API request to PATH has failed: Pool name is unknown", "td client http", 1, false},
		"not found":       {tdtest.Fault{Status: 404, Body: `{"message":"no"}`}, "[TARGET_NOT_FOUND] [404:Not Found] API request to PATH has failed: null", "td client http not found", 1, false},
		"wrong key":       {tdtest.Fault{Status: 401, Body: `{"text":"API key is invalid"}`}, "[AUTHENTICATION_FAILURE] [401:Unauthorized] API request to PATH has failed: API key is invalid", "td client http unauthorized", 2, false},
		"forbidden":       {tdtest.Fault{Status: 403, Body: "<html>no</html>"}, "[CLIENT_ERROR] [403:Forbidden] API request to PATH has failed: <html>no</html>", "td client http", 2, false},
		"conflict":        {tdtest.Fault{Status: 409, Body: `{"text":"exists"}`}, "[TARGET_ALREADY_EXISTS] [409:Conflict] API request to PATH has failed: exists", "td client http conflict", 1, false},
		"proxy":           {tdtest.Fault{Status: 407}, "[PROXY_AUTHENTICATION_FAILURE] [407:Proxy Authentication Required] API request to PATH has failed: ", "td client http", 1, false},
		"too many":        {tdtest.Fault{Status: 429, Body: `{"text":"slow down"}`}, "[CLIENT_ERROR] [429:Too Many Requests] API request to PATH has failed: slow down", "td client http too many requests", 4, true},
		"timeout":         {tdtest.Fault{Status: 408, Body: "slow"}, "[CLIENT_ERROR] [408:Request Timeout] API request to PATH has failed: slow", "td client http", 4, true},
		"server error":    {tdtest.Fault{Status: 500, Body: "oops"}, "[SERVER_ERROR] [500:Internal Server Error] API request to PATH has failed: oops", "td client http", 4, true},
		"redirect":        {tdtest.Fault{Status: 303, Header: map[string]string{"Location": "/elsewhere"}}, "[UNEXPECTED_RESPONSE_CODE] [303:See Other] API request to PATH has failed: ", "td client http", 1, false},
		"no JSON":         {tdtest.Fault{Body: "hello"}, "[INVALID_JSON_RESPONSE] API request to PATH has failed: the answer is not the JSON that was expected", "td client", 4, true},
		"half an answer":  {tdtest.Fault{Cut: true}, "[EXECUTION_FAILURE] API request to PATH has failed: connection failure: unexpected EOF", "td client", 4, true},
		"no answer":       {tdtest.Fault{Break: true}, "[EXECUTION_FAILURE] API request to PATH has failed: connection failure: EOF", "td client", 4, true},
		"nothing":         {tdtest.Fault{Stall: true}, "[EXECUTION_FAILURE] API request to PATH has failed: connection failure: nothing has come for 300ms", "td client", 4, true},
		"no id of a job":  {tdtest.Fault{Body: "{}"}, "[INVALID_JSON_RESPONSE] API request to PATH has failed: the answer has no id of a job", "td client", 1, true},
		"asked for peace": {tdtest.Fault{Status: 429, Header: map[string]string{"Retry-After": "60"}}, "[CLIENT_ERROR] [429:Too Many Requests] API request to PATH has failed: ", "td client http too many requests", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tdtest.Start(t)
			c.fault.Times, c.fault.Call = 100, "POST"
			s.Fail(c.fault)
			_, err := open(s, "k").Query(t.Context(), tdclient.Query{Engine: "presto", Database: "db", Text: "select hush"})
			failure := failureOf(t, err)
			want := strings.Replace(c.text, "PATH", "/v3/job/issue/presto/db", 1)
			if failure.Error() != want || failure.Kind() != c.kind || failure.Passing() != c.passing {
				t.Errorf("error = %q, %q, passing %v, want %q, %q, %v", failure, failure.Kind(), failure.Passing(), want, c.kind, c.passing)
			}
			if got := len(s.Calls()); got != c.calls {
				t.Errorf("the request was sent %d times, want %d", got, c.calls)
			}
			if name == "asked for peace" && failure.RetryAfter != time.Minute {
				t.Errorf("RetryAfter = %v", failure.RetryAfter)
			}
		})
	}
}

// Operators 8.1: the key is read again after a refusal.
func TestKeyIsRenewed(t *testing.T) {
	t.Parallel()
	s := tdtest.Start(t)
	s.Key = "new"
	client := tdclient.New(tdclient.Options{Host: s.Host, Key: "old", Renew: func(context.Context) (string, error) { return "new", nil }})
	if _, err := client.Session(t.Context(), "a/b c", time.Unix(60, 0), "d"); err != nil {
		t.Fatal(err)
	}
	want := []string{"POST /v3/bulk_loads/a%2Fb%20c/jobs", "POST /v3/bulk_loads/a%2Fb%20c/jobs"}
	if diff := cmp.Diff(want, s.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A certificate that nobody has signed is not accepted, and is no passing error.
func TestCertificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	client := tdclient.New(tdclient.Options{Host: strings.TrimPrefix(server.URL, "https://"), TLS: true, Key: "k"})
	_, err := client.Status(t.Context(), "1")
	if failure := failureOf(t, err); failure.Passing() || !strings.Contains(failure.Error(), "certificate") {
		t.Errorf("error = %v, passing %v", failure, failure.Passing())
	}
}

// Operators 8.12: names are checked before anything is sent.
func TestNames(t *testing.T) {
	t.Parallel()
	s := tdtest.Start(t)
	client := open(s, "k")
	for name, want := range map[string]string{
		"d1":                      "[INVALID_INPUT] Database name must be 3 to 256 characters but got 2 characters: d1",
		"Upper":                   "[INVALID_INPUT] Database name must follow this pattern ^([a-z0-9_]+)$: Upper",
		strings.Repeat("x", 257):  "[INVALID_INPUT] Database name must be 3 to 256 characters but got 257 characters: " + strings.Repeat("x", 257),
		"a_name_that_is_in_order": "",
	} {
		err := client.CreateDatabase(t.Context(), name)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("CreateDatabase(%s) = %v, want %q", name, err, want)
		}
	}
	if err := client.CreateTable(t.Context(), "db", "t"); err == nil || !strings.HasPrefix(err.Error(), "[INVALID_INPUT] Table name must be") {
		t.Errorf("CreateTable = %v", err)
	}
	if got := len(s.Calls()); got != 1 {
		t.Errorf("%d requests were sent, want 1", got)
	}
}

// A job that is not known, or has ended, needs no end.
func TestKill(t *testing.T) {
	t.Parallel()
	s := tdtest.Start(t)
	client := open(s, "k")
	id, err := client.Query(t.Context(), tdclient.Query{Engine: "hive", Database: "db"})
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range []string{id, id, "77"} {
		if err := client.Kill(t.Context(), job); err != nil {
			t.Errorf("Kill(%s) = %v", job, err)
		}
	}
	if got := s.Jobs()[0].Status; got != tdclient.StatusKilled {
		t.Errorf("status = %s", got)
	}
}

// Operators 8.1: all kinds of values, row by row.
func TestResult(t *testing.T) {
	t.Parallel()
	s := tdtest.Start(t)
	s.Rows = [][]any{
		{nil, true, int64(-5), uint64(1<<64 - 1), float32(0.5), 1.25, "text é", []byte("bin"), []any{int64(1), "x"}, map[string]any{"k": int64(2)}},
		{},
		{strings.Repeat("long", 50_000)},
	}
	client := open(s, "k")
	id, err := client.Query(t.Context(), tdclient.Query{Engine: "presto", Database: "db"})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := client.Result(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // a test
	var got []string
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, param.JSON(row))
	}
	want := []string{
		`[null,true,-5,18446744073709551615,0.5,1.25,"text é","bin",[1,"x"],{"k":2}]`, `[]`, `["` + strings.Repeat("long", 50_000) + `"]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A result that is cut anywhere is an error that may pass, and never looks whole.
func TestResultIsCut(t *testing.T) {
	t.Parallel()
	whole := tdtest.Pack([][]any{{"one", int64(1)}, {"two", int64(2)}, {"three", []any{"x"}}})
	for length := range whole {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(whole[:length]) }))
		client := tdclient.New(tdclient.Options{Host: strings.TrimPrefix(server.URL, "http://"), Key: "k", Pause: time.Microsecond})
		err := readAll(t.Context(), client)
		server.Close()
		if length == 0 && err == nil {
			continue // no rows at all
		}
		if failure := failureOf(t, err); !failure.Passing() {
			t.Errorf("%d of %d bytes: error %v does not pass", length, len(whole), failure)
		}
	}
}

// A row that is too large does not fill the memory, and is not asked for again.
func TestLargeRow(t *testing.T) {
	t.Parallel()
	text := append([]byte{0xdb, 0, 0x10, 0, 0}, make([]byte, 1<<20)...) // 1 MB
	for name, begin := range map[string][]byte{"texts": {0xdc, 0x10, 0}, "a text": {0x91, 0xdb, 0xff, 0xff, 0xff, 0xff}, "members": {0xdd, 0xff, 0xff, 0xff, 0xff}} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			packed := gzip.NewWriter(w)
			_, err := packed.Write(begin)
			for range 64 {
				if err == nil {
					_, err = packed.Write(text)
				}
			}
			_ = packed.Close()
		}))
		client := tdclient.New(tdclient.Options{Host: strings.TrimPrefix(server.URL, "http://"), Key: "k", Pause: time.Microsecond})
		err := readAll(t.Context(), client)
		if failure := failureOf(t, err); failure.Passing() || !strings.Contains(failure.Error(), "a row has more than 32 MB") {
			t.Errorf("%s: error %v", name, failure)
		}
		server.Close()
	}
}

func readAll(ctx context.Context, client *tdclient.Client) error {
	rows, err := client.Result(ctx, "1")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // a test
	for err == nil {
		_, err = rows.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
