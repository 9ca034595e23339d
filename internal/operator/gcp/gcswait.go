package gcp

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 10.2.
const (
	gcsWaitOptions = "Either the gcs_wait operator command or both 'bucket' and 'object' parameters must be set"
	gcsWaitPath    = "Illegal GCS URI or path: %s"
)

// keyExists is the key of the state.
const keyExists = "exists"

// runGCSWait waits until an object of Cloud Storage is there (operators 10.2).
func (o *operators) runGCSWait(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	params, err := r.Section("gcs")
	if err != nil {
		return operator.Outcome{}, err
	}
	bucket, name, err := objectOf(params)
	if err != nil {
		return operator.Outcome{}, operator.Unretried(err)
	}
	s, err := o.begin(ctx, r)
	if err != nil {
		return operator.Outcome{}, err
	}
	var object *param.Map
	steps := operator.NewSteps(ctx, r)
	err = steps.Wait(operator.Wait{Key: keyExists}, func(inner *operator.Steps) (met bool, err error) {
		err = inner.Retry(operator.Retry{Key: "poll", Passing: mayPass}, func(*operator.Steps) (err error) {
			object, err = s.call(ctx, http.MethodGet, path(s.client.storage, "b", bucket, "o", name), nil)
			if isMissing(err) {
				object, err = nil, nil
			}
			return err
		})
		if object == nil && err == nil && !r.State.Has(keyExists) {
			r.Log.Info("The object is not there yet", slog.String("bucket", bucket), slog.String("object", name))
		}
		return object != nil, err
	})
	if err != nil {
		return steps.Outcome(operator.Outcome{}, worded(ended(ctx, err)))
	}
	return operator.Outcome{Result: trowel.Result{
		ResetKeys: []string{"gcs_wait.last_object"},
		Store:     param.Of("gcs_wait", param.Of("last_object", param.Of("metadata", objectMetadata(object)))),
	}}, nil
}

func objectOf(params *param.Reader) (bucket, name string, err error) {
	command, hasCommand, err := params.OptString("_command")
	if err != nil {
		return "", "", err
	}
	bucket, hasBucket, err := params.OptString("bucket")
	if err != nil {
		return "", "", err
	}
	name, hasName, err := params.OptString("object")
	if err != nil {
		return "", "", err
	}
	if hasCommand && (hasBucket || hasName) || !hasCommand && (!hasBucket || !hasName) {
		return "", "", param.Errorf(gcsWaitOptions)
	}
	if !hasCommand {
		return bucket, name, nil
	}
	bucket, name, ok := strings.Cut(strings.TrimPrefix(command, "gs://"), "/")
	if !ok || bucket == "" || name == "" {
		return "", "", param.Errorf(gcsWaitPath, command)
	}
	return bucket, name, nil
}

// objectMetadata returns the resource of an object in the form that Google's Java library gives it: instants are objects, and
// integers of 64 bits are numbers.
func objectMetadata(object *param.Map) *param.Map {
	out := param.New()
	for key, value := range object.All() {
		text, isText := value.(string)
		switch key {
		case "timeCreated", "updated", "timeDeleted", "timeStorageClassUpdated", "retentionExpirationTime", "customTime":
			if at, err := time.Parse(time.RFC3339Nano, text); isText && err == nil {
				value = param.Of("value", at.UnixMilli(), "dateOnly", false, "timeZoneShift", 0)
			}
		case "size", "generation", "metageneration":
			if n, err := strconv.ParseInt(text, 10, 64); isText && err == nil {
				value = n
			}
		}
		out.Set(key, value)
	}
	return out
}
