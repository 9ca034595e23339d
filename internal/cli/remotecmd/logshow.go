package remotecmd

import (
	"bufio"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// logShow prints the logs of an attempt and remembers what it has printed.
type logShow struct {
	server  *client.Client
	out     io.Writer
	attempt api.ID
	prefix  string // of the full names of tasks
	verbose bool
	screen  bool // out is a terminal: text that a line overwrites after a carriage return is left out
	away    awayServer
	files   []*shownLog
}

// shownLog says how far a file has been printed.
type shownLog struct {
	api.LogFile // as it was last listed

	lines int             // how many were printed or hidden
	tail  string          // a last line without its end
	begun string          // what was printed of that line
	level cmd.LevelFilter // its state after those lines
	whole bool            // the file was complete
}

// maxShownLine is how much of a line is kept in memory. Longer ones are printed piece by piece.
const maxShownLine = 1 << 20

// once prints the new lines of all files that grew. If the attempt has ended, it also reads incomplete files again. It
// reports whether all files were complete. It returns an error about a damaged file after the others were printed.
func (l *logShow) once(ctx context.Context, ended bool) (whole bool, err error) {
	listed, err := l.server.ListLogFiles(ctx, l.attempt, l.prefix)
	if err != nil {
		return false, err
	}
	whole = true
	var spoiled error
	for _, file := range inOrder(listed.Files) {
		s, known := l.file(file)
		if !known || s.FileSize != file.FileSize || ended && !s.whole {
			s.LogFile = file
			if err := l.print(ctx, s); isSpoiled(err) {
				spoiled = errors.Join(spoiled, err)
			} else if err != nil {
				s.FileSize = -1 // so that it is read again next time
				return false, err
			}
		} else if s.whole { // it has not grown since
			if err := l.flushTail(s); err != nil {
				return false, err
			}
		}
		whole = whole && s.whole
	}
	return whole, spoiled
}

// isSpoiled reports whether an error says that a file is damaged in a part that will not change.
func isSpoiled(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
}

// file returns the state of a file.
func (l *logShow) file(file api.LogFile) (s *shownLog, known bool) {
	for _, s := range l.files {
		if s.FileName == file.FileName {
			return s, true
		}
	}
	s = &shownLog{LogFile: file}
	l.files = append(l.files, s)
	return s, false
}

// finish prints last lines without an end, since no more will come.
func (l *logShow) finish() error {
	for _, s := range l.files {
		if err := l.flushTail(s); err != nil {
			return err
		}
	}
	return nil
}

// flushTail prints a last line without its end. If the rest comes later, it gets a line of its own.
func (l *logShow) flushTail(s *shownLog) error {
	if s.tail == "" || s.tail == s.begun {
		return nil
	}
	rest := strings.TrimPrefix(s.tail, s.begun)
	s.begun = s.tail
	return l.write(s, rest+"\n")
}

// inOrder sorts files by the time at which their tasks began, and the files of one task by time.
func inOrder(files []api.LogFile) []api.LogFile {
	first := map[string]string{}
	for i := range files {
		f := &files[i]
		if begun, known := first[f.TaskName]; !known || logOrder(f) < begun {
			first[f.TaskName] = logOrder(f)
		}
	}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b api.LogFile) int {
		return cmp.Or(
			cmp.Compare(first[a.TaskName], first[b.TaskName]),
			cmp.Compare(a.TaskName, b.TaskName),
			cmp.Compare(logOrder(&a), logOrder(&b)),
			cmp.Compare(a.FileName, b.FileName),
		)
	})
	return files
}

// stamps matches the time in the name of a log file: hexadecimal seconds and nanoseconds (server 5.1).
// Names of tasks and agents may have an @ as well.
var stamps = regexp.MustCompile(`@([0-9a-f]{16})\.`)

// logOrder returns a text by which files are sorted by their begin. The name of a file has that time
// more exactly than the list.
func logOrder(f *api.LogFile) string {
	seconds := fmt.Sprintf("%08x", f.FileTime.Unix())
	for _, m := range stamps.FindAllStringSubmatch(f.FileName, -1) {
		if strings.HasPrefix(m[1], seconds) {
			return m[1]
		}
	}
	return seconds
}

// print writes the lines of a file that were not printed before. It is no error if the end of a file that is being
// written is missing.
func (l *logShow) print(ctx context.Context, s *shownLog) (err error) {
	body, err := l.server.FetchLogFile(ctx, l.attempt, &s.LogFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	s.tail, s.whole = "", false
	zip, err := gzip.NewReader(body)
	var lines *bufio.Reader
	if err == nil {
		lines = bufio.NewReaderSize(zip, maxShownLine)
	}
	for number := 1; err == nil; number++ {
		var data []byte
		data, err = lines.ReadSlice('\n')
		line := string(data)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			s.tail = line
			break
		}
		err = nil
		if number <= s.lines {
			continue
		}
		rest := strings.TrimPrefix(line, s.begun)
		shown := s.begun != "" && rest == "\n"
		s.lines, s.begun = number, ""
		if shown {
			continue
		}
		if err := l.write(s, rest); err != nil {
			return err
		}
	}
	s.whole = errors.Is(err, io.EOF) && lines != nil
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("read the log %s: %w", s.FileName, err)
}

// write writes a line, or a piece of a long one, unless its level is hidden.
func (l *logShow) write(s *shownLog, line string) error {
	if s.level.Hides(line) && !l.verbose {
		return nil
	}
	if l.screen {
		text, end := strings.CutSuffix(line, "\n")
		line = string(terminal.VisibleLine([]byte(text)))
		if end {
			line += "\n"
		}
	}
	_, err := io.WriteString(l.out, line)
	return err
}
