// Package output has the paths that read and search the output of tasks as text.
package output
