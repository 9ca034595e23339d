// Package notify notifies people of failed attempts, missed deadlines and attempts that were killed
// because they took too long (server 7.1): by an HTTP request, a mail, a shell command or a line in
// the log.
//
// It does not decide what people should know. Nothing is stored: what was not sent when the process
// ends is lost. Read Notification and Sender first, then Notifier.
package notify
