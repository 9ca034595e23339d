// Package access finds out who calls the API and what they may do: users with a password, bearers of
// tokens, and everybody if no user is set (server 3.6).
//
// It only knows the headers of HTTP, and not what exists. Callers check whether a project exists
// before they ask whether somebody may see it. Read Authenticator first, then Caller and the table in
// verb.go.
package access
