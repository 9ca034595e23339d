package reason_test

import (
	"slices"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/reason"
)

// Names that others chose are words of a shell in what is offered, and nothing else.
func TestOffersQuoteNames(t *testing.T) {
	t.Parallel()
	const evil = "x; rm -rf ~"
	for _, c := range []struct {
		task   *trowel.Task
		change func(f *reason.Facts)
		want   string
	}{
		{row(2, 1, "+w+a", blocked), func(f *reason.Facts) {
			f.Attempt.WaitReason, f.Admission, f.Workflow.Name = trowel.WaitWorkflowPaused, &reason.Admission{Pause: &trowel.Pause{}}, evil
		}, `trowel unpause 'x; rm -rf ~' 'x; rm -rf ~'`},
		{row(2, 1, "+w+a", ready), func(f *reason.Facts) {
			f.Market.Agents[0].Name, f.Market.Agents[0].DrainedAt = evil, at(1)
		}, `trowel agents undrain 'x; rm -rf ~'`},
		{row(2, 1, "+w+a", ready, wanting("small", 3)), func(f *reason.Facts) {
			f.Market.Limits.Pools = append(f.Market.Limits.Pools, &trowel.Pool{ID: 9, Name: "small", ProjectID: f.Workflow.ProjectID, Slots: 1})
		}, `trowel pools set small 3 --project 'x; rm -rf ~'`},
	} {
		f := facts(row(1, 0, "+w", planned), c.task)
		f.Project = evil
		c.change(f)
		var got []string
		for _, r := range reason.Explain(c.task, f) {
			for _, offer := range r.Offers {
				got = append(got, offer.Label)
			}
		}
		if !slices.Contains(got, c.want) {
			t.Errorf("offers %q, want %q", got, c.want)
		}
	}
}

func TestSetSecret(t *testing.T) {
	t.Parallel()
	missing := trowel.MissingSecretText
	for _, c := range []struct{ name, message, project, want string }{
		{"in a run", missing("nope"), "", "trowel secrets --local --set nope"},
		{"on a server", missing("db.password"), "etl", "trowel secrets --project etl --set db.password"},
		{"behind other words, with its kind", "x: " + missing("a-b_c") + " (secret not found)", "etl", "trowel secrets --project etl --set a-b_c"},
		{"a project that a shell would read", missing("k"), "it's; rm x", `trowel secrets --project 'it'\''s; rm x' --set k`},
		{"a key that cannot be set", missing("a; rm x"), "etl", ""},
		{"another failure", "Command failed with code 1", "etl", ""},
		{"none", "", "etl", ""},
	} {
		if got := reason.SetSecret(c.message, c.project); got != c.want {
			t.Errorf("%s: SetSecret = %q, want %q", c.name, got, c.want)
		}
	}
}
