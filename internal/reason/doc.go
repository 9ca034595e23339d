// Package reason says why a task does not run: control K818 to K820. It is pure. Others read rows and put
// them together to Facts; Explain makes of them all reasons that hold for a task, the first one first,
// each with a code that never changes its meaning and a sentence with names.
//
// Who waits for whom in an attempt is the matter of a Tree, which also says which blocked tasks can never
// run. What ready tasks compete for is in a Market; its limits are those of package queue, so that what is
// said here is what keeps a task from being picked there.
//
// Read trowel.WaitCode first, then Reason, Facts and Explain.
package reason
