package engine

import trowel "github.com/trowel-project/trowel"

// Admit begins an attempt that waited for its admission (control K813, K816). It does nothing to an attempt that does
// not wait.
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
			a.then(t, opened) // left over from tookOver
		}
	}
}
