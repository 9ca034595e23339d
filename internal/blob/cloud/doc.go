// Package cloud keeps blobs in Amazon S3 and what speaks its protocol, in Azure Blob Storage, and in
// Google Cloud Storage.
//
// S3 and Azure go through their makers' own libraries. That of Google registers the messages of gRPC
// and of all that it could talk to whenever a program starts, used or not: 3 ms and 14 MB. So gcs.go
// speaks the few requests that are needed itself.
package cloud
