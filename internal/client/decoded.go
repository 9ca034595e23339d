package client

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
)

// encodings is the Accept-Encoding of Digdag's client, all of which decoded understands (server 1.7.2).
const encodings = "gzip, deflate"

// decoded returns the body of an answer without its Content-Encoding. A .gz file stays
// compressed. Closing the result closes the body.
func decoded(res *http.Response) (io.ReadCloser, error) {
	var reader io.Reader
	var err error
	switch encoding := res.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return res.Body, nil
	case "gzip", "x-gzip":
		reader, err = gzip.NewReader(res.Body)
	case "deflate":
		reader, err = inflated(bufio.NewReader(res.Body))
	default:
		err = fmt.Errorf("the answer has the unknown encoding %q", encoding)
	}
	if err != nil {
		return nil, err
	}
	return &decodedBody{Reader: reader, Closer: res.Body}, nil
}

// inflated reads both forms of deflate: with the header of zlib, as in the standard, and without,
// as from Digdag's server (server 2.1).
func inflated(body *bufio.Reader) (io.Reader, error) {
	head, err := body.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(body)
	}
	return flate.NewReader(body), nil
}

type decodedBody struct {
	io.Reader
	io.Closer
}
