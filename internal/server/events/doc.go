// Package events hands what happened in a server to those who follow it, and keeps the last events for those who
// come back. It knows nothing of HTTP.
package events
