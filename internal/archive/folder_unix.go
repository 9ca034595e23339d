//go:build unix

package archive

import "syscall"

// onlyFolder makes opening fail for anything but a folder, and not wait if a pipe has replaced it.
const onlyFolder = syscall.O_DIRECTORY | syscall.O_NONBLOCK
