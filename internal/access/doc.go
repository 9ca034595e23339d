// Package access says who calls the API and what they may do: users with a password, bearers of
// tokens, and everybody where no user is set (server 3.6).
//
// It knows nothing of HTTP but headers, and nothing of what exists: whether a project is there is
// said before whether somebody may see it. Read Authenticator first, then Caller and the table in
// verb.go.
package access
