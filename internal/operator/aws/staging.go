package aws

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 9.2.
const (
	noStaging      = "Please configure a S3 'staging' directory"
	invalidStaging = "Invalid staging uri: '%s'"
)

// onCluster is where files are on the cluster.
const onCluster = "/home/hadoop/digdag-staging"

// staging is the folder in S3 that files for the cluster are put into. Everything of a task is below PREFIX/TAG/.
type staging struct {
	client         *s3.Client
	bucket, prefix string // empty without the option; the prefix ends with a slash, unless it is empty
	tag            string
	request        *operator.Request
	params         *param.Reader
}

// readStaging reads the option staging.
func readStaging(params *param.Reader) (bucket, prefix string, err error) {
	text, found, err := params.OptString("staging")
	if err != nil || !found {
		return "", "", err
	}
	at, err := url.Parse(text)
	if err != nil || at.Scheme != "s3" || at.Host == "" {
		return "", "", param.Errorf(invalidStaging, text)
	}
	if prefix = strings.TrimPrefix(at.Path, "/"); prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	return at.Host, prefix, nil
}

// file is a file for the cluster.
type file struct {
	uri  string // in S3
	path string // on the cluster, in a folder of its own
	name string
}

// isRemote reports whether an option names a file in S3.
func isRemote(name string) bool { return strings.HasPrefix(name, "s3:") }

// place returns a file of a section of the task's folder.
func (s *staging) place(section, name string) file {
	at := path.Join(s.tag, section, newTag(), name)
	return file{uri: "s3://" + s.bucket + "/" + s.prefix + at, path: onCluster + "/" + at, name: name}
}

// put stages data as a file.
func (s *staging) put(ctx context.Context, section, name string, data []byte) (file, error) {
	return s.upload(ctx, section, name, bytes.NewReader(data))
}

func (s *staging) upload(ctx context.Context, section, name string, data io.ReadSeeker) (file, error) {
	if s.bucket == "" {
		return file{}, param.Errorf(noStaging)
	}
	to := s.place(section, name)
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(s.bucket), Key: aws.String(strings.TrimPrefix(to.uri, "s3://"+s.bucket+"/")), Body: data,
	})
	return to, err
}

// fetch stages a file of the project, evaluated if it is a template. One in S3 is used where it is.
func (s *staging) fetch(ctx context.Context, section, name string, template bool) (file, error) {
	if isRemote(name) {
		to := s.place(section, path.Base(name))
		to.uri = name
		return to, nil
	}
	if s.bucket == "" {
		return file{}, param.Errorf(noStaging)
	}
	base := path.Base(filepath.ToSlash(name))
	if template {
		text, err := s.request.ReadTemplate(ctx, s.params, name)
		if err != nil {
			return file{}, err
		}
		return s.put(ctx, section, base, []byte(text))
	}
	data, err := s.open(name)
	if err != nil {
		return file{}, err
	}
	defer data.Close() //nolint:errcheck // it was only read
	return s.upload(ctx, section, base, data)
}

func (s *staging) open(name string) (*os.File, error) {
	at, err := s.request.Path(name)
	if err != nil {
		return nil, err
	}
	data, err := os.Open(at)
	if os.IsNotExist(err) {
		return nil, &operator.Error{Kind: operator.KindConfig, Message: "File not found: " + at, Err: err}
	}
	return data, err
}

// owned is the prefix of what clean deletes: everything below the option staging, also what other tasks have put there, as in Digdag
// (operators 9.2). Only if the option is a whole bucket are the other things in it spared.
func (s *staging) owned() string {
	if s.prefix == "" {
		return s.tag + "/"
	}
	return s.prefix
}

// clean deletes the staged files, as far as that works.
func (s *staging) clean(ctx context.Context, log *slog.Logger) {
	if s.bucket == "" {
		return
	}
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: aws.String(s.bucket), Prefix: aws.String(s.owned())})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err == nil {
			err = s.remove(ctx, page.Contents)
		}
		if err != nil {
			log.Warn("cannot delete the staged files", slog.String("staging", "s3://"+s.bucket+"/"+s.owned()), slog.Any("error", worded(err)))
			return
		}
	}
}

func (s *staging) remove(ctx context.Context, objects []types.Object) error {
	if len(objects) == 0 {
		return nil
	}
	keys := make([]types.ObjectIdentifier, len(objects))
	for i := range objects {
		keys[i].Key = objects[i].Key
	}
	_, err := s.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: aws.String(s.bucket), Delete: &types.Delete{Objects: keys}})
	return err
}
