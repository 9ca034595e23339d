package server

// Content types of bodies.
const (
	jsonType = "application/json"
	gzipType = "application/gzip"
)
