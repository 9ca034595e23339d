// Package reason explains why a task does not run (control K818 to K820). It is pure: others read rows and build Facts
// from them. Explain returns all reasons that apply to a task, most important first, each with a code of a fixed meaning
// and a sentence with names.
//
// A Tree knows which tasks of an attempt wait for which, and so which blocked tasks can never run. A Market has what
// ready tasks compete for. Its limits are those of package queue, which also says which of them block a task, so an
// explanation is always what keeps a task from being picked.
//
// Read trowel.WaitCode first, then Reason, Facts and Explain.
package reason
