// Package blob keeps bytes by key: project archives and packed task logs. What the bytes are is not
// its matter.
//
// Store is the interface. It is kept by the database in blob/db, by a folder in blob/file, and by S3,
// Google Cloud Storage and Azure in blob/cloud. The suite in blob/blobtest is what all of them pass.
package blob
