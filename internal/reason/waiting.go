package reason

import (
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// retryWaiting is the reason of a task that will be ready again at its RetryAt, after a failure or to poll again.
func retryWaiting(t *trowel.Task, f *Facts) Reason {
	r := Reason{Since: t.UpdatedAt, At: t.RetryAt}
	if t.WaitReason == trowel.WaitPoll {
		r.Code = trowel.WaitPoll
		r.Text = fmt.Sprintf("looks again at %s; it has looked %s", f.clock(t.RetryAt), times(t.RetryCount))
		r.Fields = param.Of("at", instant(t.RetryAt), "checks", int64(t.RetryCount))
		return r
	}
	retry, limit := retriesOf(t)
	if retry == 0 {
		retry = t.RetryCount
	}
	r.Code = trowel.WaitRetry
	failure := failureOf(t, f.LastTry)
	r.Text = fmt.Sprintf("failed and is tried again at %s%s", f.clock(t.RetryAt), ordinal(retry, limit))
	if failure != "" {
		r.Text += ": " + failure
	}
	r.Fields = param.Of("at", instant(t.RetryAt), "retry", int64(retry), "limit", orNil(limit), "failure", orNull(failure))
	return r
}

// groupRetryWaiting is the reason of a task whose failed subtree will be repeated.
func groupRetryWaiting(t *trowel.Task, f *Facts) Reason {
	retry, limit := retriesOf(t)
	r := Reason{Code: trowel.WaitGroupRetry, Since: t.UpdatedAt, At: t.RetryAt}
	r.Text = fmt.Sprintf("failed and is repeated at %s%s", f.clock(t.RetryAt), ordinal(retry, limit))
	causes := param.List{}
	f.Tree.Add(t.Outline())
	var names []string
	for _, c := range f.Tree.nodes[t.ID].children {
		if c.State.Failed() && c.ParentRound == t.Round && len(causes) < 3 {
			causes = append(causes, named(&c.TaskOutline))
			names = append(names, c.FullName)
			r.Blockers = append(r.Blockers, f.blocker(&c.TaskOutline))
		}
	}
	if len(names) > 0 {
		r.Text += ": " + enumerate(names, len(names)) + " failed"
	}
	r.Fields = param.Of("at", instant(t.RetryAt), "retry", int64(retry), "limit", orNil(limit), "causes", causes)
	return r
}

// CodeOf is the code of a task whose state alone decides it; WaitDispatch for other states.
func CodeOf(o *trowel.TaskOutline) trowel.WaitCode {
	switch o.State { //nolint:exhaustive // the states that say so
	case trowel.TaskRetryWaiting:
		if o.WaitReason == trowel.WaitPoll {
			return trowel.WaitPoll
		}
		return trowel.WaitRetry
	case trowel.TaskGroupRetryWaiting:
		return trowel.WaitGroupRetry
	case trowel.TaskDeferred:
		return trowel.WaitDeferred
	case trowel.TaskAwaitingInput:
		return trowel.WaitAwaitingInput
	}
	return trowel.WaitDispatch
}

// retriesOf returns the number of the next retry and how many there are; zero if unknown, as for values with templates.
func retriesOf(t *trowel.Task) (retry, limit int) {
	value, own := t.Local.Get("_retry")
	if !own {
		value, _ = t.Export.Get("_retry")
	}
	if value != nil {
		if parsed, err := dig.ParseRetry(value); err == nil {
			limit = parsed.Limit
		}
	}
	retry, _ = param.NewReader(t.StateParams).IntOr("retry_count", 0) // 0 if the value is no number
	return retry, limit
}

// failureOf is the error of a task in one line.
func failureOf(t *trowel.Task, last *trowel.Try) string {
	message, _ := t.Error.Get("message")
	text, _ := message.(string)
	if text == "" && last != nil && len(last.LastLines) > 0 {
		text = last.LastLines[len(last.LastLines)-1]
	}
	text, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		text = strings.TrimRight(text, " \r") + " ..."
	}
	return clip(text, 200)
}

// clip shortens a text to so many characters.
func clip(text string, letters int) string {
	if runes := []rune(text); len(runes) > letters {
		return string(runes[:letters-3]) + "..."
	}
	return text
}

func ordinal(retry, limit int) string {
	switch {
	case retry <= 0:
		return ""
	case limit <= 0:
		return fmt.Sprintf(", retry %d", retry)
	}
	return fmt.Sprintf(", retry %d of %d", retry, limit)
}

func orNil(n int) param.Value {
	if n == 0 {
		return nil
	}
	return int64(n)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
