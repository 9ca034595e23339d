package cloud

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/blobtest"
)

// newS3 starts a server with the protocol of S3 and returns a Store in it.
func newS3(t *testing.T, change func(*Options)) blob.Store {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	opts := Options{
		Provider: S3, Bucket: "bucket", Prefix: "some/prefix/", Endpoint: server.URL, PathStyle: true, AccessKeyID: "id", SecretAccessKey: "key",
	}
	if change != nil {
		change(&opts)
	}
	s, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestS3(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		return newS3(t, nil)
	})
}

// A blob that is too large for memory is sent while it is read.
func TestS3Large(t *testing.T) {
	t.Parallel()
	s := newS3(t, nil)
	data := bytes.Repeat([]byte("0123456789"), memoryBytes/10+1)
	if err := s.Put(t.Context(), "large", io.MultiReader(bytes.NewReader(data)), int64(len(data))); err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(t.Context(), "large", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, data) {
		t.Errorf("Open has %d bytes, %v, want %d", len(got), err, len(data))
	}
	for _, size := range []int{len(data) - 1, len(data) + 1} {
		if err := s.Put(t.Context(), "wrong", io.MultiReader(bytes.NewReader(data)), int64(size)); err == nil {
			t.Errorf("Put of %d bytes as %d = nil, want an error", len(data), size)
		}
	}
	if keys, err := s.List(t.Context(), "", "", 10); err != nil || len(keys) != 1 {
		t.Errorf("keys = %q, %v, want the first one only", keys, err)
	}
}

// Signed URLs of Azure are made with the account's key.
func TestAzureSigns(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Provider: Azure, Bucket: "logs", Prefix: "p/", Account: "acc", AccountKey: "a2V5"})
	if err != nil {
		t.Fatal(err)
	}
	get, err := s.SignedGet(t.Context(), "0/a b.gz")
	if err != nil || !strings.HasPrefix(get, "https://acc.blob.core.windows.net/logs/p%2F0%2Fa%20b.gz?") || !strings.Contains(get, "&sp=r&") {
		t.Errorf("SignedGet = %s, %v", get, err)
	}
	if put, err := s.SignedPut(t.Context(), "x"); err != nil || !strings.Contains(put, "&sp=cw&") {
		t.Errorf("SignedPut = %s, %v", put, err)
	}
}

// server 4.6: signed URLs need no credentials.
func TestS3SignedURLs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("accessKey=id\nsecretKey=key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	signedURLs(t, newS3(t, func(o *Options) {
		o.AccessKeyID, o.SecretAccessKey, o.CredentialsFile, o.GetExpires = "", "", file, 7*time.Minute
	}), "X-Amz-Expires=420")
}

// signedURLs uploads and fetches through signed URLs.
func signedURLs(t *testing.T, s blob.Store, inGet string) {
	t.Helper()
	const key = "0/a b/r+1.gz"
	put, errPut := s.SignedPut(t.Context(), key)
	get, errGet := s.SignedGet(t.Context(), key)
	if err := errors.Join(errPut, errGet); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(get, inGet) {
		t.Errorf("SignedGet = %s, want %s in it", get, inGet)
	}
	send(t, http.MethodPut, put, "content")
	if got := send(t, http.MethodGet, get, ""); got != "content" {
		t.Errorf("GET of the signed URL = %q, want content", got)
	}
}

func send(t *testing.T, method, url, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s = %d, %s, %v", method, url, answer.StatusCode, data, err)
	}
	return string(data)
}

// server 4.6: a read goes on after a dropped connection.
func TestResume(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0123456789"), 1000)
	for _, drops := range []int{0, 1, maxResumes, maxResumes + 1} {
		left := drops
		r, err := resume(5, 9000, func(offset, length int64) (io.ReadCloser, error) {
			part := data[offset : offset+length]
			if left == 0 {
				return io.NopCloser(bytes.NewReader(part)), nil
			}
			left--
			broken, end := io.Pipe()
			go func() {
				_, err := end.Write(part[:100])
				end.CloseWithError(errors.Join(errors.New("dropped"), err)) //nolint:gosec // never fails
			}()
			return broken, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if whole := bytes.Equal(got, data[5:9005]); whole != (drops <= maxResumes) || whole != (err == nil) {
			t.Errorf("%d drops: %d bytes, %v", drops, len(got), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Invalid settings are reported before anything is stored.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("accessKey=id\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{Provider: S3}, "a bucket is missing for s3"},
		{Options{Provider: "ftp", Bucket: "b"}, `open bucket b: unknown object store "ftp"`},
		{Options{Provider: S3, Bucket: "b", AccessKeyID: "id"}, "one is missing"},
		{Options{Provider: S3, Bucket: "b", CredentialsFile: file}, "credentials are missing at " + file},
		{Options{Provider: S3, Bucket: "b", CredentialsFile: file + "x"}, "read credentials: "},
		{Options{Provider: Azure, Bucket: "b"}, "a storage account is missing"},
		{Options{Provider: Azure, Bucket: "b", Account: "a", AccountKey: "!"}, "illegal base64"},
		{Options{Provider: GCS, Bucket: "b", CredentialsFile: file + "x"}, "read credentials: "},
		{Options{Provider: GCS, Bucket: "b", CredentialsJSON: "{"}, "read credentials: "},
	} {
		if _, err := Open(t.Context(), test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Open(%+v) = %v, want %s", test.opts, err, test.want)
		}
	}
}

// A store that does not answer is unavailable, so the caller may try again later.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := Open(ctx, Options{Provider: GCS, Bucket: "b", Endpoint: server.URL, CredentialsJSON: gcsAccount(t, server.URL)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.List(ctx, "", "", 1); !errors.Is(err, trowel.ErrUnavailable) {
		t.Errorf("List = %v, want ErrUnavailable", err)
	}
}
