package kubernetes

import "github.com/trowel-project/trowel/internal/param"

// options are what a task says about its pod.
type options struct {
	image string
	// resources, mounts, volumes, affinity and tolerations are those of Kubernetes; nil for none.
	resources, affinity          *param.Map
	mounts, volumes, tolerations param.List
	volume, claim                *persistent // nil for none
}

// persistent is a volume or claim that is to be there before the pod.
type persistent struct {
	kind, name string
	spec       *param.Map
}

// readOptions reads the blocks "docker" and "kubernetes" of a task (operators 4.5).
func readOptions(params *param.Map) (*options, error) {
	docker, err := param.NewReader(params).OptMap("docker")
	if err != nil {
		return nil, err
	}
	o := &options{}
	if o.image, err = param.NewReader(docker).StringOr("image", ""); err != nil {
		return nil, err
	}
	if o.image == "" {
		return nil, param.Missing("docker.image")
	}
	block, err := param.NewReader(params).OptMap("kubernetes")
	if err != nil {
		return nil, err
	}
	read := param.NewReader(block)
	pod, err := read.OptMap("Pod")
	if err != nil {
		return nil, err
	}
	if err := o.readPod(pod); err != nil {
		return nil, err
	}
	if o.volume, err = readPersistent(read, "PersistentVolume"); err != nil {
		return nil, err
	}
	o.claim, err = readPersistent(read, "PersistentVolumeClaim")
	return o, err
}

func (o *options) readPod(pod *param.Map) (err error) {
	read := param.NewReader(pod)
	if o.resources, err = read.OptMap("resources"); err != nil {
		return err
	}
	if o.affinity, err = read.OptMap("affinity"); err != nil {
		return err
	}
	for key, list := range map[string]*param.List{"volumeMounts": &o.mounts, "volumes": &o.volumes, "tolerations": &o.tolerations} {
		if one, ok := at(pod, key).(*param.Map); ok {
			*list = param.List{one} // a single one needs no list
			continue
		}
		if *list, err = read.ListOr(key, nil); err != nil {
			return err
		}
	}
	return nil
}

// readPersistent returns nil if there is nothing to create.
func readPersistent(read *param.Reader, kind string) (*persistent, error) {
	block, err := read.OptMap(kind)
	if err != nil || block.Len() == 0 {
		return nil, err
	}
	inner := param.NewReader(block)
	spec, err := inner.OptMap("spec")
	if err != nil || spec.Len() == 0 {
		return nil, err
	}
	name, err := inner.String("name")
	return &persistent{kind: kind, name: name, spec: spec}, err
}
