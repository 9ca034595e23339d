// Package mail sends messages by SMTP, for mail>. It is a folder of its own for the library that it
// brings. It knows nothing of tasks: read Server and Message, then Send.
package mail
