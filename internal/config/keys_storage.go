package config

import (
	"strings"
	"time"
)

func archiveKeys() []Key {
	keys := []Key{
		key("archive.type", aChoice(StorageDatabase, StorageFile, StorageS3, StorageGCS, StorageAzure), StorageDatabase, "where archives are kept", func(s *Server) *string { return &s.Archives.Type }),
		key("archive.file.path", aText(), "", "folder; needed for `file`", func(s *Server) *string { return &s.Archives.Folder }),
	}
	return append(keys, bucketKeys("archive", func(s *Server) *Storage { return &s.Archives })...)
}

// logStorage reads the type of logs. Digdag's "local" is a folder, too.
func logStorage() kind[string] {
	choice := aChoice(StorageDatabase, StorageNone, "local", StorageFile, StorageS3, StorageGCS, StorageAzure)
	return kind[string]{choice.name, func(text string) (string, error) {
		value, err := choice.parse(text)
		if value == "local" {
			return StorageFile, nil
		}
		return value, err
	}}
}

func logKeys() []Key {
	keys := []Key{
		key("log-server.type", logStorage(), StorageDatabase, "where logs are kept; `null` keeps none, `local` and `file` are a folder", func(s *Server) *string { return &s.Logs.Type }),
		key("log-server.local.path", aText(), "digdag.log", "folder of `local`", func(s *Server) *string { return &s.Logs.Folder }),
		key("log-server.local.split_size", aSize(), "0", "a new file begins after so much text; 0 is never", func(s *Server) *int64 { return &s.Logs.SplitBytes }),
		key("log-server.file.path", aText(), "", "folder of `file`", func(s *Server) *string { return &s.Logs.Folder }),
	}
	keys = append(keys, bucketKeys("log-server", func(s *Server) *Storage { return &s.Logs.Storage })...)
	return append(keys,
		key("tasklog.mask_secrets", aBoolean(), "true", "secrets of 8 characters or more are masked in the output of tasks. In `trowel run`, whose reader has the secrets, they are not unless it is set", func(s *Server) *bool { return &s.Logs.MaskSecrets }))
}

// bucketKeys returns the rows of the object stores below a prefix. Settings of stores that are not used
// are checked and ignored.
func bucketKeys(prefix string, storage func(*Server) *Storage) []Key {
	var keys []Key
	add := func(store, name string, k Key) {
		k.Name = prefix + "." + store + "." + name
		set := k.set
		k.set = func(s *Server, name, text string) error {
			if storage(s).Type == store {
				return set(s, name, text)
			}
			return set(&Server{}, name, text)
		}
		keys = append(keys, k)
	}
	bucket := func(s *Server) *Bucket { return &storage(s).Bucket }
	for _, store := range []string{StorageS3, StorageGCS, StorageAzure} {
		add(store, "bucket", key("", aText(), "", "needed for `"+store+"`", func(s *Server) *string { return &bucket(s).Name }))
		add(store, "path", key("", aPrefix(), "", "prefix of all keys", func(s *Server) *string { return &bucket(s).Path }))
		add(store, "direct_download", key("", aBoolean(), "false", directDoc(prefix), func(s *Server) *bool { return &bucket(s).DirectDownload }))
		add(store, "direct_download_expiration", key("", aNumberOfSeconds(), "600", "how long such an address holds", func(s *Server) *time.Duration { return &bucket(s).DownloadExpiration }))
		add(store, "direct_upload_expiration", key("", aNumberOfSeconds(), "600", "", func(s *Server) *time.Duration { return &bucket(s).UploadExpiration }))
	}
	add(StorageS3, "endpoint", key("", aText(), "", "Amazon's unless set", func(s *Server) *string { return &bucket(s).Endpoint }))
	add(StorageS3, "region", key("", aText(), "", "", func(s *Server) *string { return &bucket(s).Region }))
	add(StorageS3, "path-style-access", key("", aBoolean(), "false", "the bucket's name stands in the path", func(s *Server) *bool { return &bucket(s).PathStyle }))
	add(StorageS3, "credentials.file", key("", aText(), "", "properties file with `accessKey` and `secretKey`; Amazon's usual places unless set", func(s *Server) *string { return &bucket(s).CredentialsFile }))
	add(StorageS3, "credentials.access-key-id", key("", aText(), "", "", func(s *Server) *string { return &bucket(s).AccessKeyID }))
	add(StorageS3, "credentials.secret-access-key", hidden(key("", aText(), "", "", func(s *Server) *string { return &bucket(s).SecretAccessKey })))
	add(StorageGCS, "credentials.json.path", key("", aText(), "", "file of a service account; Google's usual places unless set", func(s *Server) *string { return &bucket(s).CredentialsFile }))
	add(StorageGCS, "credentials.json.content", hidden(key("", aText(), "", "its text; the file goes over it", func(s *Server) *string { return &bucket(s).CredentialsJSON })))
	add(StorageAzure, "endpoint", key("", aText(), "", "Azure's unless set", func(s *Server) *string { return &bucket(s).Endpoint }))
	add(StorageAzure, "credentials.account", key("", aText(), "", "storage account; Azure's usual places unless set", func(s *Server) *string { return &bucket(s).Account }))
	add(StorageAzure, "credentials.key", hidden(key("", aText(), "", "the account's key", func(s *Server) *string { return &bucket(s).AccountKey })))
	return keys
}

// directDoc returns the description of direct download.
func directDoc(prefix string) string {
	if prefix == "log-server" {
		return "clients are sent to the store; each file of output is an object of its own then, rather than those of an attempt together"
	}
	return "clients are sent to the store"
}

// aPrefix returns the kind of settings that are the beginning of keys in a bucket. The result has no slash before it and
// one after it (server 3.1).
func aPrefix() kind[string] {
	return kind[string]{"text", func(text string) (string, error) {
		text = strings.TrimPrefix(text, "/")
		if text != "" && !strings.HasSuffix(text, "/") {
			text += "/"
		}
		return text, nil
	}}
}
