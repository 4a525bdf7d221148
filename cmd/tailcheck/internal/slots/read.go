package slots

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/redisslot"
)

// Bounds of what is read.
const (
	MaxKeys = 1 << 20 // keys of a batch
	maxKey  = 1 << 20 // bytes of one
)

// ReadKeys reads keys from a file, one a line; "-" is stdin, compressed files are
// opened. Empty lines are left out. A key with line breaks cannot be written so.
func ReadKeys(path string, stdin io.Reader) ([]string, error) {
	r, err := open(path, stdin)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var keys []string
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxKey)
	line := 0
	for s.Scan() {
		line++
		key := bytes.TrimSuffix(s.Bytes(), []byte("\r"))
		if len(key) == 0 {
			continue
		}
		if len(keys) == MaxKeys {
			return nil, fmt.Errorf("%s:%d: more than %d keys", path, line, MaxKeys)
		}
		keys = append(keys, string(key))
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: a key of more than %d bytes", path, line+1, maxKey)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s: holds no key: want one a line", path)
	}
	return keys, nil
}

// ReadCluster reads who serves which slot from a file: nodes.conf, or what
// CLUSTER NODES, CLUSTER SLOTS or CLUSTER SHARDS answered.
func ReadCluster(path string, stdin io.Reader) (*redisslot.Cluster, error) {
	r, err := open(path, stdin)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, redisslot.MaxInput+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	c, err := redisslot.Parse(text)
	if err != nil { // it may name hosts as they stand in the file
		return nil, fmt.Errorf("%s: %s", path, report.Safe(err.Error()))
	}
	return c, nil
}

func open(path string, stdin io.Reader) (io.ReadCloser, error) {
	f, err := ingest.OpenFile(path, stdin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	return r, nil
}

// bare drops the path that errors of os carry: it stands in front already.
func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
