// Package explain tells why tasks and attempts do not run (ui.md, A28, A30). It gathers what package reason decides on.
package explain
