// Package projectdir has what commands share about the folder of a project on this machine: which it is, what is wrong in it, and
// how it becomes an archive.
package projectdir
