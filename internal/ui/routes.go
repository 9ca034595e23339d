package ui

import "strings"

// routes are the paths of pages; ":" stands for any one part. They are those of ui/src/routes.tsx, which a test compares.
func routes() []string {
	return []string{
		"/",
		"/agents",
		"/agents/:",
		"/attempts/:",
		"/attempts/:/go",
		"/audit",
		"/help",
		"/login",
		"/pools",
		"/pools/:",
		"/projects",
		"/projects/:",
		"/projects/:/diff",
		"/projects/:/files",
		"/projects/:/workflows/:",
		"/projects/:/workflows/:/run",
		"/queues",
		"/schedules",
		"/schedules/:",
		"/sessions",
		"/sessions/:",
		"/settings",
		"/workflows/:",
	}
}

// isRoute reports whether a path is that of a page. A slash at its end does not matter.
func isRoute(path string) bool {
	if len(path) > 1 && path != "//" {
		path = strings.TrimSuffix(path, "/")
	}
	parts := strings.Split(path, "/")
	for _, route := range routes() {
		if fits(strings.Split(route, "/"), parts) {
			return true
		}
	}
	return false
}

func fits(route, parts []string) bool {
	if len(route) != len(parts) {
		return false
	}
	for i, part := range parts {
		if route[i] != part && (route[i] != ":" || part == "") {
			return false
		}
	}
	return true
}
