// Package ecs is the command executor "ecs" (operators 4.4): it runs the command of a task as a task of Amazon ECS.
//
// Run packs the project, uploads it to an object store and asks ECS for one task. Poll passes the output on, from CloudWatch
// Logs, and in the end takes over the exit code and the files. Read Executor.Run first.
//
// One try has one ECS task, whatever happens to this process: the client token of the request is made of the try, and ECS
// answers a second request with the task that it has (submit.go). The end of that task is stored before its files are
// fetched (poll.go).
package ecs
