package tasklog

import (
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"runtime"
)

// compressors compress as many texts at a time as there are processors. Each takes about a megabyte, so all open logs
// share them.
type compressors chan *zips

// zips compress at one level each; nil until needed.
type zips struct{ best, usual, quick *flate.Writer }

func newCompressors() compressors {
	c := make(compressors, runtime.GOMAXPROCS(0))
	for range cap(c) {
		c <- &zips{}
	}
	return c
}

// Texts up to this size are compressed quickly, because starting a better level costs more than such a text.
const quickBytes = 4 << 10

// Texts up to this size are not compressed: a line or two hardly shrinks, and compression would take longer than
// everything else that is done with it (8 us).
const plainBytes = 160

// deflate writes the compressed form of a text to dst, in whole bytes. More may be appended to it, unless it is the
// last.
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

// member returns a text as a gzip member. before is the size of the log's text before it.
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
	return binary.LittleEndian.AppendUint32(data, uint32(len(text))), nil //nolint:gosec // chunks are small
}

// appendPlain appends a text as the last block of RFC 1951, uncompressed.
func appendPlain(data, text []byte) []byte {
	size := uint16(len(text)) //nolint:gosec // up to plainBytes
	data = append(data, 1)
	data = binary.LittleEndian.AppendUint16(data, size)
	data = binary.LittleEndian.AppendUint16(data, ^size)
	return append(data, text...)
}
