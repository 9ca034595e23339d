package rest

// Content types of bodies.
const (
	jsonType = "application/json"
	GzipType = "application/gzip"
)
