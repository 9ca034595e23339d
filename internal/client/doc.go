// Package client uses the REST API for the command line, as Digdag's client does (server 1.7.1 to
// 1.7.3): it decides which requests are tried again, which proxy is used, and what an error is called.
//
// It prints nothing and reads no settings; callers pass Options. Read Client first, then
// StatusError, for an answer that refuses a request, and UnreachableError, for no answer at all.
// Each method of Client is one route of the API (server 2.6.11). Deprecated routes are left out.
package client
