// Package document makes the JSON documents, and their parts, that several groups of paths answer with.
package document
