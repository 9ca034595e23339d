package engine

import trowel "github.com/trowel-project/trowel"

// Admit begins an attempt that waited for its admission (control K813, K816). One that does not wait is
// left alone.
type Admit struct{}

func (Admit) apply(a *applying) {
	root := a.img.root
	if root == nil || a.img.Attempt.WaitReason == "" || root.State != trowel.TaskBlocked {
		return
	}
	a.img.Attempt.WaitReason = ""
	a.unblock(root)
	for _, row := range a.img.List() {
		if t := a.img.tasks[row.ID]; t.ResumingID != 0 && len(t.children) > 0 {
			a.then(t, opened) // what tookOver has left
		}
	}
}
