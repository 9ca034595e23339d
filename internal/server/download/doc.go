// Package download answers with archives of projects, for people and for remote agents.
package download
