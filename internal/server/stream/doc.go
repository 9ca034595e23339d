// Package stream writes changes of attempts and tasks as server-sent events (ui.md, A5). Package events is where they
// come from.
package stream
