// Package mail sends messages by SMTP, for mail>. It has a folder of its own because of the library that it
// uses. It knows nothing about tasks. Read Server and Message first, then Send.
package mail
