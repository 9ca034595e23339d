// Package ui serves the web UI: the files in dist, which `make ui` builds of the folder ui of the repository. They are embedded,
// so nobody who builds Trowel needs Node.
//
// All files but the page have a hash in their name and are kept by browsers for ever. The page is the same for all paths of the
// UI; the server writes two things into it: a relative <base>, so that the UI works below any path without a setting, and the
// theme that the person chose, so that no wrong one flashes up.
package ui
