// Package cloud keeps blobs in Amazon S3 and stores with its protocol, in Azure Blob Storage, and in
// Google Cloud Storage.
//
// S3 and Azure are used through their makers' own libraries. Google's library registers the messages of gRPC
// and of many other protocols whenever a program starts, which costs 3 ms and 14 MB even if it is not used. So gcs.go
// makes the few requests that are needed itself.
package cloud
