package ecs

import (
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer"
	"github.com/trowel-project/trowel/internal/param"
)

// clusterParam is the parameter with which a task names a cluster. Its name has dots in it.
const clusterParam = "agent.command_executor.ecs"

// cluster says where and how a command is to run (operators 4.4).
type cluster struct {
	name     string
	access   access
	launch   string // may be empty, as all texts below
	subnets  []string
	publicIP string
	provider string // of capacity
	// containerCPU and containerMemory are units of 1/1024 processor and MiB; zero for none.
	containerCPU, containerMemory int
	taskCPU, taskMemory           string
	startedBy                     string
	placement                     string
	placementField                string
	environmentFile               bool
}

// access is how to reach the services.
type access struct {
	region     string
	keyID, key string // empty for Amazon's usual places
	retries    int
}

// readCluster returns the cluster that a task names, or else that of the settings. If there is neither, the error is
// command.ErrNotAsked.
func readCluster(settings transfer.Settings, params *param.Map) (*cluster, error) {
	if params.Has(clusterParam) {
		return clusterOfTask(settings, params)
	}
	name := settings.Text("ecs.name")
	if name == "" && !params.Has("ecs") && settings.Text("ecs.temporal_storage.type") == "" {
		return nil, command.ErrNotAsked
	}
	name, err := settings.Required("ecs.name")
	if err != nil {
		return nil, err
	}
	prefix := "ecs." + name + "."
	r := &clusterReader{prefix: transfer.SettingsPrefix + prefix, text: func(key string) string { return settings.Text(prefix + key) }}
	c := r.read(name)
	c.access.keyID, c.access.key = settings.Text(prefix+"access_key_id"), settings.Text(prefix+"secret_access_key")
	if (c.access.keyID == "") != (c.access.key == "") {
		r.fail(param.Errorf("Of %saccess_key_id and secret_access_key one is missing", r.prefix))
	}
	return c, r.err
}

// clusterOfTask reads the parameter of a task. Its keys come from the settings all the same.
func clusterOfTask(settings transfer.Settings, params *param.Map) (*cluster, error) {
	block, err := param.NewReader(params).MapOf(clusterParam)
	if err != nil {
		return nil, err
	}
	r := &clusterReader{text: func(key string) string { return blockText(block, key) }}
	c := r.read(r.required("cluster_name"))
	if r.err != nil {
		return nil, r.err
	}
	prefix := "ecs." + c.name + "."
	if settings.Text(prefix+"access_key_id") == "" {
		prefix = "ecs.__default_config__."
	}
	if c.access.keyID, err = settings.Required(prefix + "access_key_id"); err != nil {
		return nil, err
	}
	c.access.key, err = settings.Required(prefix + "secret_access_key")
	return c, err
}

// blockText returns a value of the parameter as a setting would be written. Subnets may be a list.
func blockText(block *param.Map, key string) string {
	value, _ := block.Get(key)
	if list, ok := value.(param.List); ok {
		var all []string
		for _, element := range list {
			text, _ := param.AsString(element)
			all = append(all, text)
		}
		return strings.Join(all, ",")
	}
	text, _ := param.AsString(value)
	return strings.TrimSpace(text)
}

// clusterReader reads the options of a cluster, and keeps the first error.
type clusterReader struct {
	prefix string // of names in errors
	text   func(key string) string
	err    error
}

func (r *clusterReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *clusterReader) required(key string) string {
	text := r.text(key)
	if text == "" {
		r.fail(param.Missing(r.prefix + key))
	}
	return text
}

func (r *clusterReader) number(key string, otherwise int) int {
	text := r.text(key)
	if text == "" {
		return otherwise
	}
	n, ok := param.AsInt(text)
	if !ok || n < 0 {
		r.fail(param.WrongType(r.prefix+key, param.TypeInt, text))
	}
	return n
}

func (r *clusterReader) truth(key string, otherwise bool) bool {
	text := r.text(key)
	if text == "" {
		return otherwise
	}
	value, ok := param.AsBool(text)
	if !ok {
		r.fail(param.WrongType(r.prefix+key, param.TypeBool, text))
	}
	return value
}

func (r *clusterReader) read(name string) *cluster {
	c := &cluster{
		name: name, access: access{region: r.required("region"), retries: r.number("max_retries", 3)},
		launch: strings.ToUpper(r.text("launch_type")), publicIP: "ENABLED",
		provider: r.text("capacity_provider_name"), containerCPU: r.number("container_cpu", 0), containerMemory: r.number("container_memory", 0),
		taskCPU: r.text("task_cpu"), taskMemory: r.text("task_memory"), startedBy: r.text("started_by"),
		placement: strings.ToLower(r.text("placement_strategy_type")), placementField: r.text("placement_strategy_field"),
		environmentFile: r.truth("use_environment_file", false),
	}
	for subnet := range strings.SplitSeq(r.text("subnets"), ",") {
		if subnet = strings.TrimSpace(subnet); subnet != "" {
			c.subnets = append(c.subnets, subnet)
		}
	}
	if !r.truth("assign_public_ip", true) {
		c.publicIP = "DISABLED"
	}
	if c.launch != "" && c.provider != "" {
		r.fail(param.Errorf("%slaunch_type and capacity_provider_name must not be set together", r.prefix))
	}
	if region := c.access.region; region != "" && !regionForm.MatchString(region) {
		r.fail(param.Errorf("Illegal AWS region: %s", region))
	}
	r.checkPlacement(c)
	return c
}

// regionForm is that of regions. A task may name one, and it is part of the address that signed requests go to.
var regionForm = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

func (r *clusterReader) checkPlacement(c *cluster) {
	switch c.placement {
	case "":
		if c.placementField != "" {
			r.fail(param.Errorf("PlacementStrategyField must be set with PlacementStrategyType")) // operators 4.4
		}
	case "random", "spread", "binpack":
	default:
		r.fail(param.Errorf("PlacementStrategyType is invalid")) // operators 4.4
	}
}
