// Package client speaks the REST API for the command line, as Digdag's client does (server 1.7.1 to
// 1.7.3): which requests are tried again, which proxy is used, what an error is called.
//
// It prints nothing and reads no settings: who calls hands in Options. Read Client first; then
// StatusError, which is an answer that refuses a request, and UnreachableError, which is none at all.
// Each method of Client is one route of the API (server 2.6.11); the deprecated ones are left out.
package client
