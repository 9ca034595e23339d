// Package document makes the JSON documents, and parts of documents, that several groups of paths share.
package document
