// Package projectdir has what commands share about the folder of a project on this machine: how to find it, what is wrong
// in it, and how it becomes an archive.
package projectdir
