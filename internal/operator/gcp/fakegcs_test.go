package gcp_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/gcp"
	"github.com/trowel-project/trowel/internal/operator/gcp/gcptest"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest/cloudtest"
)

func TestFakeGCSWait(t *testing.T) {
	t.Parallel()
	storage := cloudtest.GCS(t)
	bucket := storage.Bucket(t)
	g := gcptest.Start(t) // gives out tokens
	table := gcp.Table(gcp.Options{Storage: storage.URL + "/storage/v1"})
	const name = "in/a b+ü%.csv"
	for _, own := range []*param.Map{param.Of("gcs_wait>", "gs://"+bucket+"/"+name), param.Of("gcs_wait>", nil, "bucket", bucket, "object", name)} {
		f := operatortest.New(t, table, own).Secrets(map[string]string{"gcp.credential": g.Credential()})
		first, err := f.Run()
		if err != nil || first.Again == nil {
			t.Fatalf("without the object: %+v, %v; want another look", first.Again, err)
		}
		f.State = first.Again.State
		storage.Put(t, bucket, name, "a,b\n")
		outcome, err := f.Run()
		if err != nil || outcome.Again != nil {
			t.Fatalf("with the object: %+v, %v", outcome.Again, err)
		}
		block, _ := outcome.Result.Store.Get("gcs_wait")
		last, _ := block.(*param.Map).Get("last_object")
		value, _ := last.(*param.Map).Get("metadata")
		metadata := value.(*param.Map)
		for key, want := range map[string]string{"bucket": param.JSON(bucket), "name": param.JSON(name), "size": "4", "contentType": `"text/plain"`} {
			if got, _ := metadata.Get(key); param.JSON(got) != want {
				t.Errorf("%s = %s, want %s in %s", key, param.JSON(got), want, param.JSON(metadata))
			}
		}
		if updated, _ := metadata.Get("updated"); !strings.Contains(param.JSON(updated), `"dateOnly":false`) {
			t.Errorf("updated = %s, want an instant", param.JSON(updated))
		}
		storage.Delete(t, bucket, name)
	}
}

// A bucket that is not there may be made.
func TestFakeGCSMissingBucket(t *testing.T) {
	t.Parallel()
	storage, g := cloudtest.GCS(t), gcptest.Start(t)
	f := operatortest.New(t, gcp.Table(gcp.Options{Storage: storage.URL + "/storage/v1"}), param.Of("gcs_wait>", "trowel-not-there/o")).
		Secrets(map[string]string{"gcp.credential": g.Credential()})
	if outcome, err := f.Run(); err != nil || outcome.Again == nil {
		t.Errorf("%+v, %v; want another look", outcome.Again, err)
	}
}
