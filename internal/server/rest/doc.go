// Package rest is the frame of the REST API: it finds the route of a request, asks who calls, reads bodies and
// parameters, and writes answers and errors. It knows no noun of the API.
//
// A group of paths is a list of Route. A handler gets a Call and returns a document, a File, a Redirect, Streamed or
// an error. errors.go has the errors with a status of their own, and status.go the statuses of all others.
package rest
