package cloud

import (
	"context"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
)

// Providers.
const (
	S3    = "s3"
	GCS   = "gcs"
	Azure = "azure"
)

// Options say which bucket to use and how to sign in (server 3.1). Without credentials they are taken
// from where the provider's own tools look for them.
type Options struct {
	Provider string
	Bucket   string // for Azure the container
	// Prefix begins all keys in the bucket. Empty, or with a slash at its end.
	Prefix    string
	Endpoint  string // the provider's own if empty
	PathStyle bool   // of S3: the bucket is in the path of URLs, not in their host
	Region    string // of S3

	AccessKeyID     string // of S3
	SecretAccessKey string // of S3
	CredentialsFile string // of S3, properties with accessKey and secretKey; of GCS, JSON
	CredentialsJSON string // of GCS; CredentialsFile has priority
	Account         string // of Azure
	AccountKey      string // of Azure

	// GetExpires and PutExpires are how long signed URLs are valid. Zero means 10 minutes.
	GetExpires, PutExpires time.Duration
}

const defaultExpires = 10 * time.Minute

// Open returns the Store in a bucket, which must exist. It does not check that.
func Open(ctx context.Context, opts Options) (blob.Store, error) {
	if opts.Bucket == "" {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "a bucket is missing for " + opts.Provider, Hint: "set the key that ends with " + opts.Provider + ".bucket"}
	}
	for _, length := range []*time.Duration{&opts.GetExpires, &opts.PutExpires} {
		if *length <= 0 {
			*length = defaultExpires
		}
	}
	var store blob.Store
	var err error
	switch opts.Provider {
	case S3:
		store, err = openS3(ctx, opts)
	case Azure:
		store, err = openAzure(ctx, opts)
	case GCS:
		store, err = openGCS(ctx, opts)
	default:
		err = &trowel.Error{Kind: trowel.ErrInvalid, Message: fmt.Sprintf("unknown object store %q", opts.Provider), Hint: "it is one of s3, gcs and azure"}
	}
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", opts.Bucket, err)
	}
	return store, nil
}
