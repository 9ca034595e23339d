package transfer

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/cloud"
	"github.com/trowel-project/trowel/internal/param"
)

// SettingsPrefix begins the names of all settings of command executors.
const SettingsPrefix = "agent.command_executor."

// Settings returns a setting by its name below SettingsPrefix, such as "ecs.name".
type Settings func(name string) (string, bool)

// Text returns a setting; empty if it is missing.
func (s Settings) Text(name string) string {
	text, _ := s(name)
	return strings.TrimSpace(text)
}

// Required returns a setting that must be there.
func (s Settings) Required(name string) (string, error) {
	text := s.Text(name)
	if text == "" {
		return "", param.Missing(SettingsPrefix + name)
	}
	return text, nil
}

// Int returns a number.
func (s Settings) Int(name string, otherwise int) (int, error) {
	text := s.Text(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, param.WrongType(SettingsPrefix+name, param.TypeInt, text)
	}
	return n, nil
}

// Bool returns a choice.
func (s Settings) Bool(name string, otherwise bool) (bool, error) {
	text := s.Text(name)
	if text == "" {
		return otherwise, nil
	}
	value, ok := param.AsBool(text)
	if !ok {
		return false, param.WrongType(SettingsPrefix+name, param.TypeBool, text)
	}
	return value, nil
}

// urlTime is how long signed URLs are valid unless a setting says otherwise. The machine that uses them may have to be
// started first, and it uploads when the command has ended: 10 minutes, as in Digdag, would be too short for many.
const urlTime = 24 * time.Hour

// Store is an object store that other machines can reach by signed URLs.
type Store struct {
	blob.Store

	Kind   string // cloud.S3...
	Bucket string
	Prefix string // of all keys in the bucket; empty, or with a slash at its end
}

// OpenStore opens the object store of the settings below a prefix, such as "ecs.temporal_storage". They are those of other
// stores (server 3.1). Wrong settings are a *param.Error.
func OpenStore(ctx context.Context, s Settings, prefix string) (*Store, error) {
	kind, err := s.Required(prefix + ".type")
	if err != nil {
		return nil, err
	}
	if kind != cloud.S3 && kind != cloud.GCS && kind != cloud.Azure {
		return nil, param.Errorf("%s%s.type must be s3, gcs or azure, which others can reach, not %q", SettingsPrefix, prefix, kind)
	}
	below := prefix + "." + kind + "."
	bucket, err := s.Required(below + "bucket")
	if err != nil {
		return nil, err
	}
	text := func(name string) string { return s.Text(below + name) }
	options := cloud.Options{
		Provider: kind, Bucket: bucket, Prefix: keyPrefix(text("path")), Endpoint: text("endpoint"), Region: text("region"),
		AccessKeyID: text("credentials.access-key-id"), SecretAccessKey: text("credentials.secret-access-key"),
		CredentialsFile: text("credentials.file"), CredentialsJSON: text("credentials.json.content"),
		Account: text("credentials.account"), AccountKey: text("credentials.key"),
	}
	if file := text("credentials.json.path"); file != "" {
		options.CredentialsFile = file
	}
	if options.PathStyle, err = s.Bool(below+"path-style-access", false); err != nil {
		return nil, err
	}
	for name, length := range map[string]*time.Duration{
		"direct_download_expiration": &options.GetExpires, "direct_upload_expiration": &options.PutExpires,
	} {
		seconds, err := s.Int(below+name, int(urlTime/time.Second))
		if err != nil {
			return nil, err
		}
		*length = time.Duration(seconds) * time.Second
	}
	store, err := cloud.Open(ctx, options)
	if err != nil {
		return nil, &param.Error{Message: fmt.Sprintf("%s%s cannot be used: %s", SettingsPrefix, prefix, err)}
	}
	return &Store{Store: store, Kind: kind, Bucket: bucket, Prefix: options.Prefix}, nil
}

// UploadOptions returns what "curl" needs to upload with a signed URL of the store besides that URL, with a space before it.
func (s *Store) UploadOptions() string {
	if s.Kind == cloud.Azure {
		return ` -H "x-ms-blob-type: BlockBlob"`
	}
	return ""
}

func keyPrefix(path string) string {
	if path = strings.Trim(path, "/"); path == "" {
		return ""
	}
	return path + "/"
}
