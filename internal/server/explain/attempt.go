package explain

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/reason"
)

// whyAttempt explains why the attempt has not begun, or why its root has not ended.
func (a *asker) whyAttempt() (api.Why, error) {
	attempt := &a.summary.Attempt
	if reasons := reason.ExplainAttempt(a.facts); len(reasons) > 0 {
		shape := a.shape(nil, reasons)
		shape.State = "queued" // control K219
		return shape, nil
	}
	root, err := a.root()
	if err != nil {
		return api.Why{}, err
	}
	if root == nil || attempt.Flags&trowel.AttemptDone != 0 {
		shape := a.shape(nil, nil)
		shape.Text = "the attempt has ended: " + attempt.Flags.Status()
		if root == nil {
			return shape, nil
		}
		shape.Chain, err = a.chain(root)
		if attempt.Flags&trowel.AttemptSuccess == 0 { // after what is to be mended first
			a.offer([]reason.Offer{reason.OfferRetry(attempt.ID)})
		}
		shape.Offers = a.offers
		return shape, err
	}
	shape, err := a.why(root)
	shape.State = attempt.Flags.Status()
	return shape, err
}

// byCode counts the waiting tasks of the attempt by the code of their reasons. It needs all tasks, but only their
// outlines.
func (a *asker) byCode() (api.List[api.CodeCount], error) {
	tree, ready := a.facts.Tree, []reason.Waiting(nil)
	if !a.ended {
		outlines, err := a.tx.ListUnfinished(a.Ctx(), a.summary.Attempt.ID)
		if err != nil {
			return nil, err
		}
		tree = reason.NewTree(outlines...)
		if ready, err = a.readyByCode(); err != nil {
			return nil, err
		}
	}
	list := api.List[api.CodeCount]{}
	for _, w := range tree.Waiting(a.facts, ready) {
		count := api.CodeCount{Code: string(w.Code), Arg: w.Arg, Count: w.Count, Sample: api.TaskRef{ID: api.ID(w.Sample)}}
		if o := tree.Find(w.Sample); o != nil {
			count.Sample.Name = o.FullName
		}
		list = append(list, count)
	}
	return list, nil
}

// readyByCode counts the ready tasks of the attempt. Tasks with equal needs have the same reason.
func (a *asker) readyByCode() ([]reason.Waiting, error) {
	counts, err := a.tx.CountReady(a.Ctx(), a.summary.Attempt.ID)
	if err != nil || len(counts) == 0 {
		return nil, err
	}
	if err := a.readMarket(); err != nil {
		return nil, err
	}
	list := make([]reason.Waiting, len(counts))
	for i, c := range counts {
		t := &trowel.Task{
			ID: c.First, AttemptID: a.summary.Attempt.ID, State: trowel.TaskReady, Flags: c.Flags, ReadyAt: c.ReadyAt, Requirements: c.Requirements, Acquired: c.Acquired,
		}
		first := reason.Explain(t, a.facts)[0]
		list[i] = reason.Waiting{Code: first.Code, Arg: argOf(&first), Count: c.Count, Sample: c.First}
	}
	return list, nil
}
