// Package blob stores bytes by key: project archives and packed task logs. It does not care what the bytes
// mean.
//
// Store is the interface. Package blob/db implements it in the database, blob/file in a folder, and blob/cloud in S3,
// Google Cloud Storage and Azure. All of them pass the suite in blob/blobtest.
package blob
