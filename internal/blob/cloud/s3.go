package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/trowel-project/trowel/internal/blob"
)

// s3Bucket is a Store over S3.
type s3Bucket struct {
	client                 *s3.Client
	signer                 *s3.PresignClient
	name                   *string
	prefix                 string
	getExpires, putExpires time.Duration
}

// Put implements blob.Store.
func (b *s3Bucket) Put(ctx context.Context, key string, from io.Reader, size int64) error {
	body, failure, err := bodyOf(key, from, size)
	if err != nil {
		return err
	}
	in := &s3.PutObjectInput{
		Bucket: b.name, Key: aws.String(b.prefix + key), Body: body, ContentLength: aws.Int64(size), ContentType: aws.String(contentType),
	}
	_, err = b.client.PutObject(ctx, in, func(o *s3.Options) {
		if _, again := body.(io.Seeker); !again { // a checksum before the upload would need it
			o.APIOptions = append(o.APIOptions, v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware)
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
			o.RetryMaxAttempts = 1
		}
	})
	switch {
	case failure() != nil:
		return fmt.Errorf("put blob %q: %w", key, failure())
	case err != nil:
		return blob.Unavailable("put", key, err)
	}
	return nil
}

// Open implements blob.Store.
func (b *s3Bucket) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	return resume(offset, length, func(offset, length int64) (io.ReadCloser, error) {
		in := &s3.GetObjectInput{Bucket: b.name, Key: aws.String(b.prefix + key), Range: rangeOf(offset, length)}
		out, err := b.client.GetObject(ctx, in)
		switch status := statusOf(err); {
		case err == nil && length == 0:
			return http.NoBody, out.Body.Close()
		case err == nil:
			return out.Body, nil
		case status == http.StatusNotFound:
			return nil, blob.NotFound(key)
		case status == http.StatusRequestedRangeNotSatisfiable:
			return http.NoBody, nil // it begins at the end
		default:
			return nil, blob.Unavailable("open", key, err)
		}
	})
}

// rangeOf returns the value of a Range header, or nil for everything. There is no empty range, so it asks for one
// byte instead.
func rangeOf(offset, length int64) *string {
	switch {
	case length >= 0:
		return aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+max(length, 1)-1))
	case offset > 0:
		return aws.String(fmt.Sprintf("bytes=%d-", offset))
	default:
		return nil
	}
}

// statusError is an error of the library with the status of an answer.
type statusError interface {
	error
	HTTPStatusCode() int
}

// statusOf returns the HTTP status of an error; zero if it has none.
func statusOf(err error) int {
	if answer, ok := errors.AsType[statusError](err); ok {
		return answer.HTTPStatusCode()
	}
	return 0
}

// Delete implements blob.Store.
func (b *s3Bucket) Delete(ctx context.Context, key string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: b.name, Key: aws.String(b.prefix + key)})
	if err != nil && statusOf(err) != http.StatusNotFound {
		return blob.Unavailable("delete", key, err)
	}
	return nil
}

// List implements blob.Store.
func (b *s3Bucket) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	in := &s3.ListObjectsV2Input{Bucket: b.name, Prefix: aws.String(b.prefix + prefix)}
	if after != "" {
		in.StartAfter = aws.String(b.prefix + after)
	}
	var keys []string
	for pages := s3.NewListObjectsV2Paginator(b.client, in); len(keys) < limit && pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, blob.Unavailable("list", prefix, err)
		}
		for i := range page.Contents {
			if key := strings.TrimPrefix(aws.ToString(page.Contents[i].Key), b.prefix); key > after {
				keys = append(keys, key)
			}
		}
	}
	return keys[:min(limit, len(keys))], nil
}

// SignedGet implements blob.Store.
func (b *s3Bucket) SignedGet(ctx context.Context, key string) (string, error) {
	in := &s3.GetObjectInput{Bucket: b.name, Key: aws.String(b.prefix + key)}
	signed, err := b.signer.PresignGetObject(ctx, in, s3.WithPresignExpires(b.getExpires))
	if err != nil {
		return "", blob.Unavailable("sign", key, err)
	}
	return signed.URL, nil
}

// SignedPut implements blob.Store.
func (b *s3Bucket) SignedPut(ctx context.Context, key string) (string, error) {
	in := &s3.PutObjectInput{Bucket: b.name, Key: aws.String(b.prefix + key)}
	signed, err := b.signer.PresignPutObject(ctx, in, s3.WithPresignExpires(b.putExpires))
	if err != nil {
		return "", blob.Unavailable("sign", key, err)
	}
	return signed.URL, nil
}
