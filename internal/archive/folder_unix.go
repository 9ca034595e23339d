//go:build unix

package archive

import "syscall"

// onlyFolder lets only a folder be opened, and keeps a pipe in its place from being waited for.
const onlyFolder = syscall.O_DIRECTORY | syscall.O_NONBLOCK
