// Package explain answers why tasks and attempts do not run (ui.md, A28, A30). It reads the facts; package reason draws
// the conclusions.
package explain
