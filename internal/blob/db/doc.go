// Package db keeps blobs in the database, as parts of 256 KiB in rows of their own.
package db
