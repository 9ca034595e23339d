// Package kubernetes is the command executor "kubernetes" (operators 4.5): it runs the command of a task in a pod.
//
// Run packs the project, uploads it to an object store and creates the pod. Poll passes the log on, and in the end takes over
// the exit code and the files and deletes the pod. Read Executor.Run first.
//
// The API is spoken with plain HTTP and JSON (client.go): a dozen requests need no client of five megabytes. The name of a pod
// is made of the try, so a try that is repeated after a crash finds its pod instead of creating a second one. The end of a pod
// is stored before the pod is deleted (poll.go).
package kubernetes
