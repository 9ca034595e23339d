// Package docker is the command executor "docker" (operators 4.3): it runs the command of a task in a container of Docker, or
// of a client that is called in the same way, such as Podman.
//
// The client is a process of this machine, run by a command.Local as the commands of tasks are, also as their user. The
// engine may be anywhere, but it must see the files of the project at the same path. Read Executor.Run first; Journal is about
// containers that outlive the agent.
package docker
