package dig_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

func parse(t *testing.T, text string) param.Value {
	t.Helper()
	value, err := param.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return value
}

// C27, C28, C30.
func TestParseRetry(t *testing.T) {
	t.Parallel()
	minute := time.Minute
	tests := []struct {
		value string
		want  dig.Retry
		err   string
	}{
		{value: `3`, want: dig.Retry{Limit: 3}},
		{value: `"3"`, want: dig.Retry{Limit: 3}},
		{value: `""`, want: dig.Retry{}},
		{value: `2.9`, want: dig.Retry{Limit: 2}},
		{value: `-1`, want: dig.Retry{Limit: -1}},
		{
			value: `{"limit":3,"interval":"10","interval_type":"EXPONENTIAL","max_interval":60}`,
			want:  dig.Retry{Limit: 3, Interval: 10 * time.Second, Exponential: true, MaxInterval: &minute},
		},
		{value: `{"limit":1,"interval":null,"interval_type":"Constant","max_interval":null}`, want: dig.Retry{Limit: 1}},
		{value: `true`, err: `Invalid _retry format:true`},
		{value: `null`, err: `Invalid _retry format:null`},
		{value: `[1]`, err: `Invalid _retry format:[1]`},
		{value: `"x"`, err: `Expected integer (int) type for key '_retry' but got "x" (string)`},
		{value: `"{\"limit\":1}"`, err: `Expected integer (int) type for key '_retry' but got "{\"limit\":1}" (string)`},
		{value: `{}`, err: `Parameter 'limit' is required but not set`},
		{value: `{"limit":null}`, err: `Parameter 'limit' is required but null`},
		{value: `{"limit":1,"interval_type":"linear"}`, err: `Invalid retry_interval_type: linear`},
		{
			value: `{"limit":1,"interval":"x"}`,
			err:   `Expected [reference type, class com.google.common.base.Optional<int><[simple type, class int]>] for key 'interval' but got "x" (string)`,
		},
		{
			value: `{"limit":1,"interval_type":[1]}`,
			err:   `Expected [reference type, class com.google.common.base.Optional<java.lang.String><[simple type, class java.lang.String]>] for key 'interval_type' but got [1] (array)`,
		},
	}
	for _, tt := range tests {
		got, err := dig.ParseRetry(parse(t, tt.value))
		message := ""
		if err != nil {
			message = err.Error()
		}
		if message != tt.err {
			t.Errorf("ParseRetry(%s): error = %q, want %q", tt.value, message, tt.err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" && tt.err == "" {
			t.Errorf("ParseRetry(%s) (-want +got):\n%s", tt.value, diff)
		}
	}
}

// C29.
func TestRetryDelay(t *testing.T) {
	t.Parallel()
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	limit := seconds(60)
	tests := []struct {
		name  string
		retry dig.Retry
		want  []time.Duration // before the first retry, the second, ...
	}{
		{"none", dig.Retry{}, []time.Duration{0, 0}},
		{"constant", dig.Retry{Interval: seconds(10), MaxInterval: &limit}, []time.Duration{seconds(10), seconds(10)}},
		{"constant is not bounded", dig.Retry{Interval: seconds(90), MaxInterval: &limit}, []time.Duration{seconds(90)}},
		{"exponential", dig.Retry{Interval: seconds(10), Exponential: true}, []time.Duration{seconds(10), seconds(20), seconds(40)}},
		{
			"bounded",
			dig.Retry{Interval: seconds(10), Exponential: true, MaxInterval: &limit},
			[]time.Duration{seconds(10), seconds(20), seconds(40), seconds(60), seconds(60)},
		},
		{"negative", dig.Retry{Interval: seconds(-5)}, []time.Duration{0}},
	}
	for _, tt := range tests {
		for count, want := range tt.want {
			if got := tt.retry.Delay(count); got != want {
				t.Errorf("%s: Delay(%d) = %v, want %v", tt.name, count, got, want)
			}
		}
	}
	long := dig.Retry{Interval: seconds(10), Exponential: true}
	for _, count := range []int{28, 31, 64, 1000} {
		if got := long.Delay(count); got != seconds(1<<31-1) {
			t.Errorf("Delay(%d) = %v, want the longest", count, got)
		}
	}
}

// C19 to C21, O6.
func TestParseParallel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body string
		want dig.Parallel
		err  string
	}{
		{`{}`, dig.Parallel{}, ""},
		{`{"_parallel":true}`, dig.Parallel{On: true}, ""},
		{`{"_parallel":"true"}`, dig.Parallel{On: true}, ""},
		{`{"_parallel":"False"}`, dig.Parallel{}, ""},
		{`{"_parallel":""}`, dig.Parallel{}, ""},
		{`{"_parallel":{"limit":2,"other":1}}`, dig.Parallel{On: true, Limit: 2}, ""},
		{`{"_parallel":{"limit":"-1"}}`, dig.Parallel{On: true, Limit: -1}, ""},
		{`{"_parallel":null}`, dig.Parallel{}, "Invalid _parallel format: null"},
		{`{"_parallel":1}`, dig.Parallel{}, "Invalid _parallel format: 1"},
		{`{"_parallel":[true]}`, dig.Parallel{}, "Invalid _parallel format: [true]"},
		{`{"_parallel":"{\"limit\":1}"}`, dig.Parallel{}, `Expected 'true' or 'false' for key '_parallel' but got "{\"limit\":1}" (string)`},
	}
	for _, tt := range tests {
		body, ok := parse(t, tt.body).(*param.Map)
		if !ok {
			t.Fatal("no object")
		}
		got, err := dig.ParseParallel(body)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if message != tt.err || got != tt.want {
			t.Errorf("ParseParallel(%s) = %+v, %q, want %+v, %q", tt.body, got, message, tt.want, tt.err)
		}
	}
}
