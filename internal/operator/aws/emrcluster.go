package aws

import (
	"context"
	"path"
	"path/filepath"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/emr"
	"github.com/aws/aws-sdk-go-v2/service/emr/types"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// clusterTag is the tag of a cluster that has the tag of its task.
const clusterTag = "DIGDAG_CLUSTER_ID"

// newCluster makes the request for a cluster, with its first steps (operators 9.2).
func (p *plan) newCluster(ctx context.Context, options *param.Reader, steps param.List) (*emr.RunJobFlowInput, error) {
	in := &emr.RunJobFlowInput{Tags: []types.Tag{{Key: aws.String(clusterTag), Value: aws.String(p.staging.tag)}}}
	name, err := options.StringOr("name", "Digdag")
	if err != nil {
		return nil, err
	}
	in.Name = aws.String(tagged(name, p.staging.tag))
	if err := clusterTexts(options, in); err != nil {
		return nil, err
	}
	applications, err := textList(options, "applications")
	if err != nil {
		return nil, err
	}
	if applications == nil {
		applications = []string{"Hadoop", "Hive", "Spark", "Flink"}
	}
	for _, application := range applications {
		in.Applications = append(in.Applications, types.Application{Name: aws.String(application)})
	}
	visible, err := options.BoolOr("visible", true)
	if err != nil {
		return nil, err
	}
	in.VisibleToAllUsers = aws.Bool(visible)
	if in.Configurations, err = p.configurations(ctx, options); err != nil {
		return nil, err
	}
	if in.Instances, err = p.instances(ctx, options); err != nil {
		return nil, err
	}
	if in.BootstrapActions, err = p.bootstrap(ctx, options); err != nil {
		return nil, err
	}
	in.Steps, err = p.steps(ctx, steps)
	return in, err
}

func clusterTexts(options *param.Reader, in *emr.RunJobFlowInput) error {
	for _, o := range []struct {
		key, otherwise string
		into           **string
	}{
		{"release", "emr-5.2.0", &in.ReleaseLabel},
		{"logs", "", &in.LogUri},
		{"cluster_role", "EMR_EC2_DefaultRole", &in.JobFlowRole},
		{"service_role", "EMR_DefaultRole", &in.ServiceRole},
	} {
		text, err := options.StringOr(o.key, o.otherwise)
		if err != nil {
			return err
		}
		*o.into = optional(text)
	}
	return nil
}

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return aws.String(text)
}

func (p *plan) instances(ctx context.Context, options *param.Reader) (*types.JobFlowInstancesConfig, error) {
	section, err := options.MapOf("ec2")
	if err != nil {
		return nil, err
	}
	ec2 := param.NewReader(section)
	key, err := ec2.String("key")
	if err != nil {
		return nil, err
	}
	in := &types.JobFlowInstancesConfig{Ec2KeyName: aws.String(key)}
	for _, o := range []struct {
		key  string
		into **string
	}{
		{"subnet_id", &in.Ec2SubnetId},
		{"emr_managed_master_security_group", &in.EmrManagedMasterSecurityGroup},
		{"emr_managed_slave_security_group", &in.EmrManagedSlaveSecurityGroup},
		{"service_access_security_group", &in.ServiceAccessSecurityGroup},
	} {
		text, err := ec2.StringOr(o.key, "")
		if err != nil {
			return nil, err
		}
		*o.into = optional(text)
	}
	if in.AdditionalMasterSecurityGroups, err = textList(ec2, "additional_master_security_groups"); err != nil {
		return nil, err
	}
	if in.AdditionalSlaveSecurityGroups, err = textList(ec2, "additional_slave_security_groups"); err != nil {
		return nil, err
	}
	if in.InstanceGroups, err = p.groups(ctx, ec2, in.Ec2SubnetId != nil); err != nil {
		return nil, err
	}
	return in, clusterLife(options, in)
}

// clusterLife reads where the cluster is and how long it stays.
func clusterLife(options *param.Reader, in *types.JobFlowInstancesConfig) error {
	zone, err := options.StringOr("availability_zone", "")
	if err != nil {
		return err
	}
	if zone != "" {
		in.Placement = &types.PlacementType{AvailabilityZone: aws.String(zone)}
	}
	ends, err := options.BoolOr("auto_terminate", true)
	if err != nil {
		return err
	}
	protected, err := options.BoolOr("termination_protected", false)
	in.KeepJobFlowAliveWhenNoSteps, in.TerminationProtected = aws.Bool(!ends), aws.Bool(protected)
	return err
}

// group is what the kinds of instances differ in.
type group struct {
	name, kind, instances string
	role                  types.InstanceRoleType
	options               *param.Map
}

func (p *plan) groups(ctx context.Context, ec2 *param.Reader, subnet bool) ([]types.InstanceGroupConfig, error) {
	family := "m3"
	if subnet {
		family = "m4" // others need no network of their own
	}
	master, err := ec2.OptMap("master")
	if err != nil {
		return nil, err
	}
	core, err := ec2.OptMap("core")
	if err != nil {
		return nil, err
	}
	wanted := []group{{"Master", "master", family + ".2xlarge", types.InstanceRoleTypeMaster, master}}
	if core.Len() > 0 {
		wanted = append(wanted, group{"Core", "core", family + ".xlarge", types.InstanceRoleTypeCore, core})
	}
	tasks, err := ec2.ListOr("task", nil)
	if err != nil {
		return nil, err
	}
	for i, element := range tasks {
		options, ok := element.(*param.Map)
		if !ok {
			return nil, param.WrongType("task", param.TypeMap, element)
		}
		wanted = append(wanted, group{"Task " + strconv.Itoa(i+1), "task", family + ".xlarge", types.InstanceRoleTypeTask, options})
	}
	made := make([]types.InstanceGroupConfig, len(wanted))
	for i, g := range wanted {
		if made[i], err = p.group(ctx, g); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (p *plan) group(ctx context.Context, g group) (made types.InstanceGroupConfig, err error) {
	options := param.NewReader(g.options)
	made.InstanceRole = g.role
	name, err := options.StringOr("name", g.name)
	if err != nil {
		return made, err
	}
	instances, err := options.StringOr("type", g.instances)
	if err != nil {
		return made, err
	}
	market, err := options.StringOr("market", "")
	if err != nil {
		return made, err
	}
	bid, err := options.StringOr("bid_price", "")
	if err != nil {
		return made, err
	}
	count := 1
	if g.role != types.InstanceRoleTypeMaster {
		if count, err = options.IntOr("count", 0); err != nil {
			return made, err
		}
	}
	made.Name, made.InstanceType, made.BidPrice = aws.String(name), aws.String(instances), optional(bid)
	made.Market, made.InstanceCount = types.MarketType(market), aws.Int32(int32(count)) //nolint:gosec // an option of 32 bits
	if made.EbsConfiguration, err = ebsOf(options); err != nil {
		return made, err
	}
	made.Configurations, err = p.configurations(ctx, options)
	return made, err
}

// ebsOf reads the option ebs.
func ebsOf(options *param.Reader) (*types.EbsConfiguration, error) {
	section, err := options.OptMap("ebs")
	if err != nil || section == nil {
		return nil, err
	}
	ebs, made := param.NewReader(section), &types.EbsConfiguration{}
	if raw, _ := ebs.Value("optimized"); raw != nil {
		optimized, err := ebs.Bool("optimized")
		if err != nil {
			return nil, err
		}
		made.EbsOptimized = aws.Bool(optimized)
	}
	devices, err := ebs.ListOr("devices", nil)
	if err != nil {
		return nil, err
	}
	for _, element := range devices {
		options, ok := element.(*param.Map)
		if !ok {
			return nil, param.WrongType("devices", param.TypeMap, element)
		}
		device, err := deviceOf(param.NewReader(options))
		if err != nil {
			return nil, err
		}
		made.EbsBlockDeviceConfigs = append(made.EbsBlockDeviceConfigs, device)
	}
	return made, nil
}

func deviceOf(options *param.Reader) (device types.EbsBlockDeviceConfig, err error) {
	if device.VolumesPerInstance, err = optInt(options, "volumes_per_instance"); err != nil {
		return device, err
	}
	section, err := options.MapOf("volume_specification")
	if err != nil {
		return device, err
	}
	volume, made := param.NewReader(section), &types.VolumeSpecification{}
	if made.Iops, err = optInt(volume, "iops"); err != nil {
		return device, err
	}
	if made.SizeInGB, err = optInt(volume, "size_in_gb"); err != nil {
		return device, err
	}
	kind, err := volume.StringOr("type", "")
	made.VolumeType, device.VolumeSpecification = optional(kind), made
	return device, err
}

func optInt(options *param.Reader, key string) (*int32, error) {
	n, found, err := options.OptInt(key)
	if err != nil || !found {
		return nil, err
	}
	return aws.Int32(int32(n)), nil //nolint:gosec // an option of 32 bits
}

// configurations reads the option configurations: objects, and names of JSON files with lists of them.
func (p *plan) configurations(ctx context.Context, options *param.Reader) ([]types.Configuration, error) {
	list, err := options.ListOr("configurations", nil)
	if err != nil {
		return nil, err
	}
	var all []types.Configuration
	for _, element := range list {
		more, err := p.configurationOf(ctx, element)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func (p *plan) configurationOf(ctx context.Context, element param.Value) ([]types.Configuration, error) {
	if object, ok := element.(*param.Map); ok {
		one, err := readConfiguration(object, "classification", "properties", "configurations")
		return []types.Configuration{one}, err
	}
	name, ok := param.AsString(element)
	if !ok {
		return nil, param.WrongType("configurations", param.TypeMap, element)
	}
	text, err := p.staging.request.ReadTemplate(ctx, p.staging.params, name)
	if err != nil {
		return nil, err
	}
	value, err := param.Parse(text)
	list, isList := value.(param.List)
	if err != nil || !isList {
		return nil, &operator.Error{Kind: operator.KindConfig, Message: "Invalid configurations in " + name + ": want a list in JSON", Err: err}
	}
	return readConfigurations(list, "Classification", "Properties", "Configurations")
}

func readConfigurations(list param.List, classification, properties, nested string) ([]types.Configuration, error) {
	var all []types.Configuration
	for _, element := range list {
		object, ok := element.(*param.Map)
		if !ok {
			return nil, param.WrongType("configurations", param.TypeMap, element)
		}
		one, err := readConfiguration(object, classification, properties, nested)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func readConfiguration(object *param.Map, classification, properties, nested string) (one types.Configuration, err error) {
	fields := param.NewReader(object)
	name, err := fields.StringOr(classification, "")
	if err != nil {
		return one, err
	}
	one.Classification = optional(name)
	pairs, err := fields.OptMap(properties)
	if err != nil {
		return one, err
	}
	values := param.NewReader(pairs)
	for key := range pairs.All() {
		value, err := values.String(key)
		if err != nil {
			return one, err
		}
		if one.Properties == nil {
			one.Properties = map[string]string{}
		}
		one.Properties[key] = value
	}
	list, err := fields.ListOr(nested, nil)
	if err != nil {
		return one, err
	}
	one.Configurations, err = readConfigurations(list, classification, properties, nested)
	return one, err
}

// bootstrap reads the option bootstrap: paths of scripts, or objects.
func (p *plan) bootstrap(ctx context.Context, options *param.Reader) ([]types.BootstrapActionConfig, error) {
	list, err := options.ListOr("bootstrap", nil)
	if err != nil {
		return nil, err
	}
	var actions []types.BootstrapActionConfig
	for i, element := range list {
		section := "bootstrap/" + strconv.Itoa(i+1)
		object, isObject := element.(*param.Map)
		if !isObject {
			object = param.Of("path", element)
		}
		action, err := p.bootstrapAction(ctx, section, param.NewReader(object))
		if err != nil {
			return nil, err
		}
		actions = append(actions, action)
	}
	return actions, nil
}

func (p *plan) bootstrapAction(ctx context.Context, section string, options *param.Reader) (action types.BootstrapActionConfig, err error) {
	script, err := options.String("path")
	if err != nil {
		return action, err
	}
	name, err := options.StringOr("name", path.Base(filepath.ToSlash(script)))
	if err != nil {
		return action, err
	}
	folder := onCluster + "/" + section + "/wd" // without the tag
	made, err := p.scriptOf(ctx, section, folder, script, options)
	if err != nil {
		return action, err
	}
	args, err := p.configuration(ctx, section, folder, made)
	if err != nil {
		return action, err
	}
	return types.BootstrapActionConfig{
		Name:                  aws.String(name),
		ScriptBootstrapAction: &types.ScriptBootstrapActionConfig{Path: aws.String(args[0]), Args: args[1:]},
	}, nil
}
