// Package explain answers why tasks and attempts do not run (docs/why.md). It reads the facts; package reason draws
// the conclusions.
package explain
