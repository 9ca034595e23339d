package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
)

// azureContainer is a Store over Azure Blob Storage.
type azureContainer struct {
	client                 *container.Client
	prefix                 string
	getExpires, putExpires time.Duration
	now                    func() time.Time
}

func openAzure(_ context.Context, opts Options) (*azureContainer, error) {
	if opts.Account == "" && opts.Endpoint == "" {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "a storage account is missing", Hint: "set the key that ends with azure.credentials.account"}
	}
	endpoint := "https://" + opts.Account + ".blob.core.windows.net"
	if opts.Endpoint != "" {
		endpoint = strings.TrimSuffix(withScheme(opts.Endpoint), "/")
	}
	client, err := azureClient(endpoint+"/"+opts.Bucket, opts)
	if err != nil {
		return nil, err
	}
	return &azureContainer{client: client, prefix: opts.Prefix, getExpires: opts.GetExpires, putExpires: opts.PutExpires, now: time.Now}, nil
}

// azureClient signs in with the account's key, or in the way of Azure's own tools.
func azureClient(url string, opts Options) (*container.Client, error) {
	if opts.AccountKey != "" {
		shared, err := container.NewSharedKeyCredential(opts.Account, opts.AccountKey)
		if err != nil {
			return nil, err
		}
		return container.NewClientWithSharedKeyCredential(url, shared, nil)
	}
	usual, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, err
	}
	return container.NewClient(url, usual, nil)
}

// Put implements blob.Store. The blob exists once its list of blocks is written.
func (c *azureContainer) Put(ctx context.Context, key string, from io.Reader, size int64) error {
	source := &exact{from: from, left: size, wrong: blob.WrongSize(key, size)}
	kind := contentType
	_, err := c.client.NewBlockBlobClient(c.prefix+key).UploadStream(ctx, source, &blockblob.UploadStreamOptions{
		Concurrency: 1, BlockSize: 4 << 20, HTTPHeaders: &azblob.HTTPHeaders{BlobContentType: &kind},
	})
	switch {
	case source.failure() != nil:
		return fmt.Errorf("put blob %q: %w", key, source.failure())
	case err != nil:
		return blob.Unavailable("put", key, err)
	}
	return nil
}

// Open implements blob.Store.
func (c *azureContainer) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	return resume(offset, length, func(offset, length int64) (io.ReadCloser, error) {
		count := max(length, 1) // there is no empty range
		if length < 0 {
			count = azblob.CountToEnd
		}
		out, err := c.client.NewBlobClient(c.prefix+key).DownloadStream(ctx, &azblob.DownloadStreamOptions{Range: azblob.HTTPRange{Offset: offset, Count: count}})
		switch {
		case err == nil && length == 0:
			return http.NoBody, out.Body.Close()
		case err == nil:
			return out.Body, nil
		case bloberror.HasCode(err, bloberror.BlobNotFound):
			return nil, blob.NotFound(key)
		case bloberror.HasCode(err, bloberror.InvalidRange):
			return http.NoBody, nil // it begins at the end
		default:
			return nil, blob.Unavailable("open", key, err)
		}
	})
}

// Delete implements blob.Store.
func (c *azureContainer) Delete(ctx context.Context, key string) error {
	_, err := c.client.NewBlobClient(c.prefix+key).Delete(ctx, nil)
	if err != nil && !bloberror.HasCode(err, bloberror.BlobNotFound) {
		return blob.Unavailable("delete", key, err)
	}
	return nil
}

// List implements blob.Store.
func (c *azureContainer) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	whole := c.prefix + prefix
	var keys []string
	for pages := c.client.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Prefix: &whole}); len(keys) < limit && pages.More(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, blob.Unavailable("list", prefix, err)
		}
		for _, item := range page.Segment.BlobItems {
			if key := strings.TrimPrefix(*item.Name, c.prefix); key > after {
				keys = append(keys, key)
			}
		}
	}
	return keys[:min(limit, len(keys))], nil
}

// SignedGet implements blob.Store. Only the account's key can sign.
func (c *azureContainer) SignedGet(_ context.Context, key string) (string, error) {
	return c.sign(key, sas.BlobPermissions{Read: true}, c.getExpires)
}

// SignedPut implements blob.Store.
func (c *azureContainer) SignedPut(_ context.Context, key string) (string, error) {
	return c.sign(key, sas.BlobPermissions{Create: true, Write: true}, c.putExpires)
}

func (c *azureContainer) sign(key string, permissions sas.BlobPermissions, expires time.Duration) (string, error) {
	url, err := c.client.NewBlobClient(c.prefix+key).GetSASURL(permissions, c.now().Add(expires), nil)
	switch {
	case err == nil:
		return url, nil
	case errors.Is(err, bloberror.MissingSharedKeyCredential):
		return "", errors.ErrUnsupported
	default:
		return "", blob.Unavailable("sign", key, err)
	}
}
