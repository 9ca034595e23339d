// Package revision has what is in the revisions of a project.
package revision
