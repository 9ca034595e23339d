// Package storetest is the suite that every backend of the store passes, one file per noun, and
// has a Store that fails on demand. A backend calls Run from its own test.
package storetest
