package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

var errRange = errors.New("the range is not in the file")

// byteRange reads a header Range about a file of size bytes (RFC 9110, 14.1.2). Without one, or with a header that it does not
// understand or that names several parts, ok is false: the whole file is meant. It fails if no byte is in the range.
func byteRange(header string, size int64) (from, count int64, ok bool, err error) {
	spec, found := strings.CutPrefix(header, "bytes=")
	first, last, dash := strings.Cut(spec, "-")
	if !found || !dash || strings.Contains(spec, ",") || first+last == "" || !isDigits(first) || !isDigits(last) {
		return 0, 0, false, nil
	}
	if first == "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil {
			n = size
		}
		if from = max(0, size-n); n == 0 || size == 0 {
			return 0, 0, false, errRange
		}
		return from, size - from, true, nil
	}
	from, err = strconv.ParseInt(first, 10, 64)
	if err != nil || from >= size {
		return 0, 0, false, errRange
	}
	end := size - 1
	if last != "" {
		switch n, err := strconv.ParseInt(last, 10, 64); {
		case err == nil && n < from:
			return 0, 0, false, nil
		case err == nil:
			end = min(end, n)
		}
	}
	return from, end - from + 1, true, nil
}

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// answerRange answers with a part of a file, if the caller asks for one, and reports whether it has.
func answerRange(c *Call, f *File) bool {
	header := c.Writer.Header()
	header.Set("Accept-Ranges", "bytes")
	asked := c.Request.Header.Get("Range")
	if only := c.Request.Header.Get("If-Range"); only != "" && only != f.ETag {
		asked = ""
	}
	from, count, ok, err := byteRange(asked, f.SizeBytes)
	switch {
	case err != nil:
		header.Set("Content-Range", fmt.Sprintf("bytes */%d", f.SizeBytes))
		c.Writer.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		return true
	case !ok:
		return false
	}
	content, err := f.Open()
	if err != nil {
		c.answerError(err)
		return true
	}
	defer func() { _ = content.Close() }() // what follows the range is not read
	if _, err := io.CopyN(io.Discard, content, from); err != nil {
		c.answerError(err)
		return true
	}
	header.Set("Content-Type", f.ContentType)
	header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, from+count-1, f.SizeBytes))
	sendAs(c, http.StatusPartialContent, "", count, io.LimitReader(content, count))
	return true
}
