package cloud

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/blobtest"
	"github.com/trowel-project/trowel/internal/trowtest/cloudtest"
)

func atMoto(t *testing.T, moto *cloudtest.Amazon) blob.Store {
	t.Helper()
	s, err := Open(t.Context(), Options{
		Provider: S3, Bucket: moto.Bucket(t), Prefix: "some/prefix/", Endpoint: moto.URL, Region: cloudtest.Region, PathStyle: true,
		AccessKeyID: moto.KeyID, SecretAccessKey: moto.Key,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMoto(t *testing.T) {
	t.Parallel()
	moto := cloudtest.Moto(t)
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		return atMoto(t, moto)
	})
}

func TestMotoSignedURLs(t *testing.T) {
	t.Parallel()
	signedURLs(t, atMoto(t, cloudtest.Moto(t)), "X-Amz-Signature=")
}

// A store whose keys are refused says so.
func TestMotoRefuses(t *testing.T) {
	t.Parallel()
	moto := cloudtest.SignedMoto(t)
	good := atMoto(t, moto)
	if err := good.Put(t.Context(), "k", strings.NewReader("x"), 1); err != nil {
		t.Error(err)
	}
	wrong := *moto
	bucket := moto.Bucket(t)
	wrong.Key = "wrong"
	s, err := Open(t.Context(), Options{
		Provider: S3, Bucket: bucket, Endpoint: wrong.URL, Region: cloudtest.Region, PathStyle: true, AccessKeyID: wrong.KeyID, SecretAccessKey: wrong.Key,
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Put(t.Context(), "k", strings.NewReader("x"), 1)
	if err == nil || !strings.Contains(err.Error(), "SignatureDoesNotMatch") {
		t.Errorf("Put = %v, want the service's refusal", err)
	}
}

// tokenServer gives out tokens for the file of gcsAccount.
func tokenServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if _, err := io.WriteString(w, `{"access_token": "token", "token_type": "Bearer", "expires_in": 3600}`); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestFakeGCS(t *testing.T) {
	t.Parallel()
	storage := cloudtest.GCS(t)
	tokens := tokenServer(t)
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		s, err := Open(t.Context(), Options{
			Provider: GCS, Bucket: storage.Bucket(t), Prefix: "p/", Endpoint: storage.URL, CredentialsJSON: gcsAccount(t, tokens),
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
