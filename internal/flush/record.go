package flush

import "strconv"

// record keeps what the audit is to tell of an event that changed an attempt, beside its moves.
func (w *write) record(ev *event, a *attempt) {
	if ev.record == nil {
		return
	}
	r, s := *ev.record, a.Setting() // a copy: the transaction may be tried again
	r.At, r.ObjectKind, r.ObjectID = w.at, "attempt", strconv.FormatInt(int64(a.id), 10)
	r.Object, r.ProjectID, r.Workflow, r.AttemptID = s.Project.Name+"/"+s.Session.Workflow, s.Project.ID, s.Session.Workflow, a.id
	w.records = append(w.records, &r)
}
