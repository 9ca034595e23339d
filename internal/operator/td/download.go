package td

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/param"
)

// download writes the result of a job into a file, which appears when it is whole.
func (t *task) download(ctx context.Context, id, file string) (err error) {
	t.r.Waiting()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil { //nolint:gosec // the umask decides
		return err
	}
	temporary := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+"-"+uuid.NewString()[:8])
	out, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the umask decides
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(temporary))
		}
	}()
	buffered := bufio.NewWriterSize(out, 64<<10)
	err = t.writeRows(ctx, id, buffered, 0)
	if err == nil {
		err = buffered.Flush()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary, file)
}

func removeIfThere(file string) error {
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// writeRows writes the result of a job as CSV with a header, up to a number of rows; zero for all.
func (t *task) writeRows(ctx context.Context, id string, out io.Writer, limit int) error {
	details, err := t.details(ctx, id)
	if err != nil {
		return err
	}
	header := make(param.List, len(details.Columns))
	for i, column := range details.Columns {
		header[i] = column.Name
	}
	line := appendCSV(nil, header)
	if _, err := out.Write(line); err != nil {
		return err
	}
	written := 0
	return t.rows(ctx, id, func(row param.List) error {
		line = appendCSV(line[:0], row)
		if _, err := out.Write(line); err != nil {
			return err
		}
		if written++; written == limit {
			return io.EOF
		}
		return nil
	})
}
