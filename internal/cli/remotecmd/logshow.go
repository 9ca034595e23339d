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
	screen  bool // out is a terminal: what a line overwrites with carriage returns is left out
	away    awayServer
	files   []*shownLog
}

// shownLog is how far a file was printed.
type shownLog struct {
	api.LogFile // as it was listed last

	lines int             // that were printed or hidden
	tail  string          // a last line whose end is missing
	begun string          // that line, if it was written nevertheless
	level cmd.LevelFilter // after those lines
	whole bool            // the file had its end
}

// maxShownLine is how much of a line is kept in memory. Longer ones are printed piece by piece.
const maxShownLine = 1 << 20

// once prints the new lines of all files that grew; if the attempt has ended, those without an end
// are read once more as well. It reports whether all files were whole. One that is spoiled is an error when the
// others were printed.
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
				s.FileSize = -1 // it is read again, should there be another look
				return false, err
			}
		} else if s.whole { // it has not grown since the last look
			if err := l.settle(s); err != nil {
				return false, err
			}
		}
		whole = whole && s.whole
	}
	return whole, spoiled
}

// isSpoiled reports whether a file is not what a server keeps of a log, in a part that will not change.
func isSpoiled(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
}

// file is what is known of a file.
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

// finish prints the last lines without an end: none will come.
func (l *logShow) finish() error {
	for _, s := range l.files {
		if err := l.settle(s); err != nil {
			return err
		}
	}
	return nil
}

// settle prints a last line without an end. Should the rest of it come later, it gets a line of its own.
func (l *logShow) settle(s *shownLog) error {
	if s.tail == "" || s.tail == s.begun {
		return nil
	}
	rest := strings.TrimPrefix(s.tail, s.begun)
	s.begun = s.tail
	return l.write(s, rest+"\n")
}

// inOrder sorts files by task, the task that began first before the others, and then by time.
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

// logOrder is a text that sorts files by the time at which they were begun. The name of a file has it
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

// print writes the lines of a file that were not written before. The end of a file that is being
// written may be missing; that is no error.
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

// write writes a line, or a piece of a long one, unless it is of a level that is not wanted.
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
