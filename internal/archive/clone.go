package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// clone makes a copy of a folder. Files share their blocks until one of them is written to, where the file system can
// do that. They share nothing else, so a task that changes its files does not affect
// others. It returns how much it has copied, as diskBytes counts it.
func clone(ctx context.Context, from, to string) (int64, error) {
	var size int64
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		bytes, err := entryBytes(entry)
		if err != nil {
			return err
		}
		size += bytes
		relative, err := filepath.Rel(from, path)
		if err != nil || relative == "." {
			return err
		}
		target := filepath.Join(to, relative)
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case entry.IsDir():
			return cloneFolder(entry, target)
		default:
			return cloneFile(entry, path, target)
		}
	})
	if err != nil {
		return 0, fmt.Errorf("copy the files of the project: %w", err)
	}
	return size, nil
}

func cloneFolder(entry fs.DirEntry, to string) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm()|ownerFolder)
}

func cloneFile(entry fs.DirEntry, from, to string) (err error) {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if err := os.Chmod(to, info.Mode().Perm()); err != nil {
		return err
	}
	if info.Size() == 0 || share(target, source) == nil {
		return nil
	}
	_, err = io.Copy(target, source)
	return err
}
