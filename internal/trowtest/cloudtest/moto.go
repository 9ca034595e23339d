package cloudtest

import (
	"crypto/rand"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Variables with the address of moto, and the keys of a user.
const (
	EnvMoto       = "TROWEL_TEST_MOTO"
	EnvSignedMoto = "TROWEL_TEST_MOTO_SIGNED"
)

// Region is where tests work.
const Region = "eu-west-1"

// Amazon is moto.
type Amazon struct {
	URL        string
	KeyID, Key string
}

// Moto returns moto, or skips the test.
func Moto(tb testing.TB) *Amazon {
	tb.Helper()
	return connect(tb, EnvMoto)
}

// SignedMoto returns a moto that refuses the keys of others and wrong signatures. It takes right ones for wrong if names or queries
// have special characters.
func SignedMoto(tb testing.TB) *Amazon {
	tb.Helper()
	return connect(tb, EnvSignedMoto)
}

func connect(tb testing.TB, variable string) *Amazon {
	tb.Helper()
	text := os.Getenv(variable)
	if text == "" {
		tb.Skip("needs moto: make clouds")
	}
	at, err := url.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	a := &Amazon{URL: "http://" + at.Host, KeyID: at.User.Username()}
	a.Key, _ = at.User.Password()
	return a
}

// Config returns what clients of its services are made of.
func (a *Amazon) Config() aws.Config {
	return aws.Config{Region: Region, BaseEndpoint: aws.String(a.URL), Credentials: credentials.NewStaticCredentialsProvider(a.KeyID, a.Key, "")}
}

// S3 returns a client of S3.
func (a *Amazon) S3() *s3.Client {
	return s3.NewFromConfig(a.Config(), func(o *s3.Options) { o.UsePathStyle = true })
}

// Bucket makes a bucket.
func (a *Amazon) Bucket(tb testing.TB) string {
	tb.Helper()
	name := "trowel-" + strings.ToLower(rand.Text())
	if _, err := a.S3().CreateBucket(tb.Context(), &s3.CreateBucketInput{
		Bucket: aws.String(name), CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(Region)},
	}); err != nil {
		tb.Fatal(err)
	}
	return name
}

// Put puts an object into a bucket, as change describes it further. It returns the version of the object, if it has one.
func (a *Amazon) Put(tb testing.TB, bucket, key, text string, change func(*s3.PutObjectInput)) (version string) {
	tb.Helper()
	in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(key), Body: strings.NewReader(text)}
	if change != nil {
		change(in)
	}
	out, err := a.S3().PutObject(tb.Context(), in)
	if err != nil {
		tb.Fatal(err)
	}
	return aws.ToString(out.VersionId)
}

// Keys returns the keys of all objects of a bucket.
func (a *Amazon) Keys(tb testing.TB, bucket string) []string {
	tb.Helper()
	out, err := a.S3().ListObjectsV2(tb.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	if err != nil {
		tb.Fatal(err)
	}
	keys := make([]string, len(out.Contents))
	for i := range out.Contents {
		keys[i] = aws.ToString(out.Contents[i].Key)
	}
	return keys
}

// Get returns an object.
func (a *Amazon) Get(tb testing.TB, bucket, key string) string {
	tb.Helper()
	out, err := a.S3().GetObject(tb.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	if err != nil {
		tb.Fatalf("%s/%s: %v", bucket, key, err)
	}
	defer out.Body.Close() //nolint:errcheck // only read from
	text, err := io.ReadAll(out.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}
