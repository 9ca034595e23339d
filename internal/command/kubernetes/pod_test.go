//go:build unix

package kubernetes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/param"
)

// What a task says about its pod stands in the pod, with the limits of its commands, and volumes are there before it.
func TestPod(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	params, err := param.ParseMap(`{"docker":{"image":"busybox"},"kubernetes":{
		"Pod":{"resources":{"limits":{"memory":"4Gi","cpu":"100m"},"requests":{"memory":"3Gi"}},"volumeMounts":{"name":"v","mountPath":"/v"},
			"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"claim"}}],"affinity":{"nodeAffinity":{}},"tolerations":{"key":"k"}},
		"PersistentVolume":{"name":"volume","spec":{"capacity":{"storage":"1Gi"}}},
		"PersistentVolumeClaim":{"name":"claim","spec":{"volumeName":"volume"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	r := commandtest.NewRequest(t, &commandtest.Subject{Params: params}, "true")
	r.Limits = command.Limits{Memory: 1 << 30, CPU: 1.5, Disk: 1 << 30}
	if _, err := f.executor(nil, "kubernetes.default_pod_ttl", "1h").Run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	pod := f.objects["/api/v1/namespaces/tasks/pods/"+podName(&r.Try)]
	container := first(pod, "spec", "containers")
	got := param.JSON(param.List{
		at(container, "resources"), at(container, "volumeMounts"), at(pod, "spec", "volumes"), at(pod, "spec", "affinity"), at(pod, "spec", "tolerations"),
		at(pod, "spec", "restartPolicy"), at(pod, "spec", "activeDeadlineSeconds"), mapAt(pod, "metadata", "labels").Has("trowel.try"),
	})
	want := `[{"limits":{"memory":"1073741824","cpu":"100m","ephemeral-storage":"1073741824"},"requests":{"memory":"1073741824"}},[{"name":"v","mountPath":"/v"}],` +
		`[{"name":"v","persistentVolumeClaim":{"claimName":"claim"}}],{"nodeAffinity":{}},[{"key":"k"}],"Never",3600,true]`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the pod is another one (-want +got):\n%s", diff)
	}
	if name := podName(&r.Try); len(name) > 63 || !strings.HasPrefix(name, "digdag-pod-") {
		t.Errorf("name of the pod = %s", name)
	}
	for _, path := range []string{"/api/v1/persistentvolumes/volume", "/api/v1/namespaces/tasks/persistentvolumeclaims/claim"} {
		if f.objects[path] == nil {
			t.Errorf("there is no %s", path)
		}
	}
	// A second task changes what it says in another way, and nothing that the cluster has added.
	f.objects["/api/v1/persistentvolumes/volume"] = param.Of("metadata", param.Of("resourceVersion", "7"), "spec", param.Of("capacity", param.Of("storage", "2Gi"), "added", "x"))
	again := commandtest.NewRequest(t, &commandtest.Subject{Params: params}, "true")
	if _, err := f.executor(nil).Run(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	volume := f.objects["/api/v1/persistentvolumes/volume"]
	if got := param.JSON(volume); !strings.Contains(got, `"1Gi"`) || !strings.Contains(got, `"added"`) || !strings.Contains(got, `"7"`) {
		t.Errorf("volume = %s", got)
	}
}

func TestQuantity(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"1": 1, "1.5": 1.5, "100m": 0.1, "64Mi": 64 << 20, "2Gi": 2 << 30, "1G": 1e9, "1e3": 1000} {
		if got, ok := quantity(text); !ok || got != want {
			t.Errorf("quantity(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Mi", "1XB", "1.2.3", "inf"} {
		if got, ok := quantity(text); ok {
			t.Errorf("quantity(%q) = %v", text, got)
		}
	}
}
