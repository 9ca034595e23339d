package rest

import (
	"testing"

	"github.com/trowel-project/trowel/internal/api"
)

// Errors of documents do not mention Go types.
func TestDecodeJSON(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"reports":[]}`:                         "",
		`{"reports":"x"}`:                        "reports must be a list, not a string",
		`[]`:                                     "the body must be an object, not a list",
		`{"reports":[{"try":"one"}]}`:            "reports.try must be an integer, not a string",
		`{"reports":[{"ran":1}]}`:                "reports.ran must be true or false, not a number",
		`{"reports":[{"outcome":{}}]}`:           "reports.outcome must be a string, not an object",
		`{"reports":`:                            "the body is no JSON: unexpected end of JSON input, after 11 bytes",
		`{"reports":]`:                           "the body is no JSON: invalid character ']' looking for beginning of value, after 12 bytes",
		`{"reports":[{"attemptId":1.5}]}`:        "reports.attemptId must be an integer, not number 1.5",
		`{"reports":[{"lastLines":["a",true]}]}`: "reports.lastLines must be a string, not true or false",
	} {
		err := DecodeJSON([]byte(body), &api.AgentReports{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
