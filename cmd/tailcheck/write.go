package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// writeFile writes a file that appears whole or not at all. A device or a pipe is
// written to, never replaced, and a link stays one.
func writeFile(path string, write func(io.Writer) error) error {
	mode := os.FileMode(0o644)
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a directory", path)
	case err == nil && (!info.Mode().IsRegular() || strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")):
		// /dev/stdout may be a file that others append to
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			err = errors.Join(write(f), f.Close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, pathless(err))
		}
		return nil
	case err == nil:
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".tailcheck-*")
	if err != nil {
		return fmt.Errorf("%s: %w", path, pathless(err))
	}
	err = errors.Join(write(tmp), tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), target)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("%s: %w", path, pathless(err))
	}
	return nil
}

// overInput reports a file to be written that is one of those to be read: a
// report in its place would be read as an input the next time.
func overInput(path string, inputs []string) error {
	out, err := os.Stat(path)
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, in := range inputs {
		if info, err := os.Stat(in); err == nil && os.SameFile(out, info) {
			return fmt.Errorf("%s is an input: it would be overwritten\nhint: give another file to write to", path)
		}
	}
	return nil
}

func pathless(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
