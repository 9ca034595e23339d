package cloud

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
)

const (
	gcsEndpoint = "https://storage.googleapis.com"
	gcsScope    = "https://www.googleapis.com/auth/devstorage.read_write"
	// gcsPage is the largest page of a list.
	gcsPage = 1000
)

// gcsBucket is a Store over the JSON API of Google Cloud Storage.
type gcsBucket struct {
	client                 *http.Client
	endpoint, name, prefix string
	getExpires, putExpires time.Duration
	// email and key sign URLs; key is nil without a service account.
	email string
	key   *rsa.PrivateKey
	now   func() time.Time
}

func openGCS(ctx context.Context, opts Options) (*gcsBucket, error) {
	b := &gcsBucket{
		endpoint: gcsEndpoint, name: opts.Bucket, prefix: opts.Prefix, getExpires: opts.GetExpires, putExpires: opts.PutExpires, now: time.Now,
	}
	if opts.Endpoint != "" {
		b.endpoint = strings.TrimSuffix(withScheme(opts.Endpoint), "/")
	}
	data := []byte(opts.CredentialsJSON)
	if opts.CredentialsFile != "" {
		var err error
		if data, err = os.ReadFile(opts.CredentialsFile); err != nil {
			return nil, fmt.Errorf("read credentials: %w", err)
		}
	}
	ctx = context.WithoutCancel(ctx) // tokens are needed as long as the Store is used
	if len(data) == 0 {
		usual, err := google.FindDefaultCredentials(ctx, gcsScope)
		if err != nil {
			return nil, err
		}
		b.client = oauth2.NewClient(ctx, usual.TokenSource)
		return b, nil
	}
	account, err := google.JWTConfigFromJSON(data, gcsScope)
	if err != nil {
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	b.client, b.email = account.Client(ctx), account.Email
	b.key, err = parseKey(account.PrivateKey)
	return b, err
}

// object returns the URL of a blob in one of the two APIs.
func (b *gcsBucket) object(key string) string {
	return b.endpoint + "/storage/v1/b/" + url.PathEscape(b.name) + "/o/" + url.PathEscape(b.prefix+key)
}

// do sends a request and returns a successful answer.
func (b *gcsBucket) do(ctx context.Context, doing, key, method, address string, body io.Reader, change func(*http.Request)) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, fmt.Errorf("%s blob %q: %w", doing, key, err)
	}
	if change != nil {
		change(request)
	}
	answer, err := b.client.Do(request)
	if err != nil {
		return nil, blob.Unavailable(doing, key, err)
	}
	if answer.StatusCode < http.StatusMultipleChoices {
		return answer, nil
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000)) // only for the message
	err = errors.Join(&gcsError{answer.StatusCode, string(text)}, answer.Body.Close())
	if answer.StatusCode == http.StatusNotFound {
		return nil, blob.NotFound(key)
	}
	return nil, blob.Unavailable(doing, key, err)
}

// gcsError is an answer that refuses a request.
type gcsError struct {
	status int
	text   string
}

func (e *gcsError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.text) }

// Put implements blob.Store.
func (b *gcsBucket) Put(ctx context.Context, key string, from io.Reader, size int64) error {
	source := &exact{from: from, left: size, wrong: blob.WrongSize(key, size)}
	var body io.Reader = source
	if size == 0 { // net/http would not read the body
		if _, err := source.Read(nil); !errors.Is(err, io.EOF) {
			return err
		}
		body = http.NoBody
	}
	address := b.endpoint + "/upload/storage/v1/b/" + url.PathEscape(b.name) + "/o?uploadType=media&name=" + url.QueryEscape(b.prefix+key)
	answer, err := b.do(ctx, "put", key, http.MethodPost, address, body, func(r *http.Request) {
		r.ContentLength = size
		r.Header.Set("Content-Type", contentType)
	})
	if errSource := source.failure(); errSource != nil {
		return fmt.Errorf("put blob %q: %w", key, errSource)
	}
	if err != nil {
		return err
	}
	if err := answer.Body.Close(); err != nil {
		return blob.Unavailable("put", key, err)
	}
	return nil
}

// Open implements blob.Store.
func (b *gcsBucket) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	return resume(offset, length, func(offset, length int64) (io.ReadCloser, error) {
		end := ""
		switch {
		case length == 0:
			end = strconv.FormatInt(offset, 10) // there is no empty range
		case length > 0:
			end = strconv.FormatInt(offset+length-1, 10)
		}
		answer, err := b.do(ctx, "open", key, http.MethodGet, b.object(key)+"?alt=media", nil, func(r *http.Request) {
			if offset > 0 || end != "" {
				r.Header.Set("Range", "bytes="+strconv.FormatInt(offset, 10)+"-"+end)
			}
		})
		if refusal, ok := errors.AsType[*gcsError](err); ok && refusal.status == http.StatusRequestedRangeNotSatisfiable {
			return http.NoBody, nil // it begins at the end
		}
		if err != nil {
			return nil, err
		}
		if length == 0 {
			return http.NoBody, answer.Body.Close()
		}
		return answer.Body, nil
	})
}

// Delete implements blob.Store.
func (b *gcsBucket) Delete(ctx context.Context, key string) error {
	answer, err := b.do(ctx, "delete", key, http.MethodDelete, b.object(key), nil, nil)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// List implements blob.Store.
func (b *gcsBucket) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	query := url.Values{"prefix": {b.prefix + prefix}, "maxResults": {strconv.Itoa(min(limit+1, gcsPage))}, "fields": {"items(name),nextPageToken"}}
	if after != "" {
		query.Set("startOffset", b.prefix+after)
	}
	var keys []string
	for {
		answer, err := b.do(ctx, "list", prefix, http.MethodGet, b.endpoint+"/storage/v1/b/"+url.PathEscape(b.name)+"/o?"+query.Encode(), nil, nil)
		if err != nil {
			return nil, err
		}
		var page struct {
			Items []struct {
				Name string `json:"name"`
			} `json:"items"`
			NextPageToken string `json:"nextPageToken"`
		}
		err = json.NewDecoder(answer.Body).Decode(&page)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return nil, blob.Unavailable("list", prefix, err)
		}
		for _, item := range page.Items {
			if key := strings.TrimPrefix(item.Name, b.prefix); key > after {
				keys = append(keys, key)
			}
		}
		if len(keys) >= limit || page.NextPageToken == "" {
			return keys[:min(limit, len(keys))], nil
		}
		query.Set("pageToken", page.NextPageToken)
	}
}
