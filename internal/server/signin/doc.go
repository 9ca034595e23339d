// Package signin answers who the caller is, and signs browsers in and out (docs/sign-in.md).
package signin
