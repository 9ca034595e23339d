package tasklog

import (
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"runtime"
)

// compressors compress at a time as many texts as there are processors. One takes about a megabyte,
// so they are shared by all open logs.
type compressors chan *zips

// zips compress at a level each; nil before they are needed.
type zips struct{ best, usual, quick *flate.Writer }

func newCompressors() compressors {
	c := make(compressors, runtime.GOMAXPROCS(0))
	for range cap(c) {
		c <- &zips{}
	}
	return c
}

// Texts up to this size are compressed quickly: to begin anew costs the better levels more than such a
// text does.
const quickBytes = 4 << 10

// Texts up to this size are not compressed: a line or two becomes hardly smaller, and would take longer
// than all else that is done for it (8 us).
const plainBytes = 160

// deflate writes the compressed form of a text to dst: whole bytes that may be followed by more or,
// if it is the last, by nothing.
func (c compressors) deflate(dst io.Writer, text []byte, level int, last bool) error {
	have := <-c
	defer func() { c <- have }()
	use := &have.usual
	switch level {
	case flate.BestCompression:
		use = &have.best
	case flate.BestSpeed:
		use = &have.quick
	}
	if *use == nil {
		fresh, err := flate.NewWriter(dst, level)
		if err != nil {
			return err
		}
		*use = fresh
	}
	zip := *use
	zip.Reset(dst)
	if _, err := zip.Write(text); err != nil {
		return err
	}
	if last {
		return zip.Close()
	}
	return zip.Flush()
}

// gzipHeader is the header of RFC 1952: deflate, no name, no time, best compression, unknown system.
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"

// member returns a text as a gzip member. before is how much text of the log there was before it.
func (c compressors) member(text []byte, before int64) ([]byte, error) {
	level := flate.BestCompression
	switch {
	case len(text) <= quickBytes:
		level = flate.BestSpeed
	case before > bestBytes:
		level = flate.DefaultCompression
	}
	data := make(piece, 0, 64+min(plainBytes, len(text))+len(text)/3)
	data = append(data, gzipHeader...)
	if len(text) <= plainBytes {
		data = appendPlain(data, text)
	} else if err := c.deflate(&data, text, level, true); err != nil {
		return nil, err
	}
	data = binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(text))
	return binary.LittleEndian.AppendUint32(data, uint32(len(text))), nil //nolint:gosec // pieces are small
}

// appendPlain appends a text as the last block of RFC 1951, not compressed.
func appendPlain(data, text []byte) []byte {
	size := uint16(len(text)) //nolint:gosec // up to plainBytes
	data = append(data, 1)
	data = binary.LittleEndian.AppendUint16(data, size)
	data = binary.LittleEndian.AppendUint16(data, ^size)
	return append(data, text...)
}
