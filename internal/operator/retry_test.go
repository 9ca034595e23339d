package operator_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Language X27 to X30, C27 to C31, operators 1.12; the cases retry-operator-* and
// retry-limit-notations: what follows a failed run of sh>.
func TestRetryAfterFailure(t *testing.T) {
	t.Parallel()
	const failed = "Command failed with code 1 (runtime)"
	for _, c := range []struct {
		name      string
		retry     param.Value
		state     *param.Map
		after     time.Duration // of the next run
		next      string        // its state
		message   string        // of the failure if there is no next run
		inherited bool
	}{
		{name: "number", retry: int64(3), next: `{"retry_count":1}`},
		{name: "text", retry: " 3 ", next: `{"retry_count":1}`},
		{name: "fraction", retry: 1.9, next: `{"retry_count":1}`},
		{name: "inherited", retry: int64(3), inherited: true, next: `{"retry_count":1}`}, // X29
		{name: "limit reached", retry: int64(3), state: param.Of("retry_count", 3), message: failed},
		{name: "empty text", retry: "", message: failed},
		{name: "zero", retry: int64(0), message: failed},
		{name: "negative", retry: int64(-1), message: failed},
		{
			name: "state is kept, the command's status is not", retry: int64(3),
			state: param.Of("x", 1, "retry_count", 1), next: `{"x":1,"retry_count":2}`,
		},
		{name: "interval", retry: param.Of("limit", 3, "interval", 10), after: 10 * time.Second, next: `{"retry_count":1}`},
		{
			name: "exponential", retry: param.Of("limit", 5, "interval", 10, "interval_type", "Exponential"),
			state: param.Of("retry_count", 2), after: 40 * time.Second, next: `{"retry_count":3}`,
		},
		{
			name: "longest", retry: param.Of("limit", 5, "interval", 10, "interval_type", "exponential", "max_interval", 30),
			state: param.Of("retry_count", 2), after: 30 * time.Second, next: `{"retry_count":3}`,
		},
		{name: "boolean", retry: true, message: "Invalid _retry format:true (config)"},
		{name: "null", retry: nil, message: "Invalid _retry format:null (config)"},
		{name: "list", retry: param.List{int64(1)}, message: "Invalid _retry format:[1] (config)"},
		{name: "word", retry: "often", message: `Expected integer (int) type for key '_retry' but got "often" (string) (config)`},
		{name: "no limit", retry: param.Of("interval", 1), message: "Parameter 'limit' is required but not set (config)"},
		{name: "bad type", retry: param.Of("limit", 1, "interval_type", "random"), message: "Invalid retry_interval_type: random (config)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, param.Of("sh>", "exit 1"))
			if c.inherited {
				f.With("_retry", c.retry)
			} else {
				f.Own.Set("_retry", c.retry)
			}
			// A null parameter makes sh> fail before it runs its command.
			f.State = c.state
			outcome, err := f.Run()
			if got := message(err); got != c.message {
				t.Fatalf("message = %q, want %q", got, c.message)
			}
			if c.message != "" {
				return
			}
			again := outcome.Again
			if again == nil {
				t.Fatal("the task succeeded")
			}
			if again.After != c.after || param.JSON(again.State) != c.next || message(again.Cause) != failed {
				t.Errorf("again after %v with %s because of %v, want after %v with %s", again.After, param.JSON(again.State), again.Cause, c.after, c.next)
			}
		})
	}
}

// An invalid _retry fails even a task that would succeed (C31).
func TestInvalidRetryFailsSuccess(t *testing.T) {
	t.Parallel()
	_, err := newFixture(t, param.Of("sh>", "true", "_retry", false)).Run()
	if got, want := message(err), "Invalid _retry format:false (config)"; got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}

// Errors about the working directory occur before the operator's run and are not retried (operators 1.12).
func TestOutsideIsNotRetried(t *testing.T) {
	t.Parallel()
	f := newFixture(t, param.Of("sh>", "true", "_retry", 3, "_workdir", "../.."))
	_, err := f.Run()
	want := "Working directory must not be outside of project path (" + f.Project + "): ../.. (illegal argument)"
	if got := message(err); got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}

// table returns a Table with one wrapped operator.
func table(run func(context.Context, *operator.Request) (operator.Outcome, error)) operator.Table {
	return operator.Table{"x": {Run: run, Wrapped: true}}
}

func runIn(ctx context.Context, t *testing.T, table operator.Table, own, state *param.Map) (operator.Outcome, error) {
	t.Helper()
	f := newFixture(t, own)
	request := f.Request
	request.Params = param.NewReader(own)
	request.Local = own
	request.State = state
	request.Project = f.Project
	return table.Run(ctx, "x", &request)
}

// Language X27, X30: polls are passed on, and so is an operator's own retry unless _retry is left.
func TestRetryAndPolls(t *testing.T) {
	t.Parallel()
	cause := errors.New("lost")
	own := &operator.Again{After: time.Minute, State: param.Of("job", 5), Cause: cause}
	poll := &operator.Again{After: time.Minute, State: param.Of("job", 5)}
	for _, c := range []struct {
		name  string
		again *operator.Again
		retry *param.Map
		after time.Duration
		state string
	}{
		{"poll", poll, param.Of("_retry", 2), time.Minute, `{"job":5}`},
		{"own retry without _retry", own, param.New(), time.Minute, `{"job":5}`},
		{"own retry with _retry", own, param.Of("_retry", 2), 0, `{"before":1,"retry_count":1}`},
		{"own retry with _retry used up", own, param.Of("_retry", 0), time.Minute, `{"job":5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			outcome, err := runIn(t.Context(), t, table(func(context.Context, *operator.Request) (operator.Outcome, error) {
				return operator.Outcome{Again: c.again}, nil
			}), c.retry, param.Of("before", 1, "commandStatus", param.New()))
			if err != nil {
				t.Fatal(err)
			}
			want := c.state
			if got := outcome.Again; got.After != c.after || param.JSON(got.State) != want || !errors.Is(got.Cause, c.again.Cause) {
				t.Errorf("again = %v, %s, %v, want %v, %s", got.After, param.JSON(got.State), got.Cause, c.after, want)
			}
		})
	}
}

// A run that was stopped is not tried again.
func TestRetryAfterStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := runIn(ctx, t, table(func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
		cancel()
		return operator.Outcome{}, ctx.Err()
	}), param.Of("_retry", 2), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want %v", err, context.Canceled)
	}
}
