// Package localrun runs a workflow in this process: a store, a flusher and an agent around the folder of a project. What a command
// line asks for comes as Options.
package localrun
