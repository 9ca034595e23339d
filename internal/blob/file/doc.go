// Package file keeps blobs as files below a folder.
package file
