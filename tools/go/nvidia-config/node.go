package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	deviceplugin "github.com/NVIDIA/k8s-device-plugin/api/config/v1"
	migparted "github.com/NVIDIA/mig-parted/api/spec/v1"
	"github.com/NVIDIA/mig-parted/pkg/types"
)

// wholeGPU is what the device plugin calls every device that has no name of its own.
const wholeGPU = deviceplugin.ResourceName("nvidia.com/gpu")

// nodeRequest is a node of some GPUs and what its labels and the operator give to the daemons there:
// the file that its device plugin reads (or none) and the operator's MIG_STRATEGY (or none), the
// file of mig-parted (or none) and the layout in it.
type nodeRequest struct {
	DevicePlugin string   `json:"devicePlugin"`
	MigStrategy  string   `json:"migStrategy"`
	MigParted    string   `json:"migParted"`
	Layout       string   `json:"layout"`
	DeviceIDs    []string `json:"deviceIDs"`
}

// gpuState is the MIG state of one GPU, in the words of mig-parted.
type gpuState struct {
	MigEnabled bool            `json:"mig-enabled"`
	MigDevices types.MigConfig `json:"mig-devices"`
}

// nodeState is what the daemons make of the node: resource name to number of devices.
type nodeState struct {
	Error       string                            `json:"error,omitempty"`
	MigStrategy string                            `json:"migStrategy,omitempty"`
	Sharing     string                            `json:"sharing,omitempty"`
	OneAtATime  bool                              `json:"oneAtATime"`
	GPUs        []gpuState                        `json:"gpus,omitempty"`
	Offers      map[deviceplugin.ResourceName]int `json:"offers,omitempty"`
	Replicas    map[deviceplugin.ResourceName]int `json:"replicas,omitempty"`
}

// loadNodes reads a list of requests and answers each. A file that many nodes share is read once.
func loadNodes(path string) (any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var requests []nodeRequest
	if err := json.Unmarshal(text, &requests); err != nil {
		return nil, err
	}
	layouts := map[string]migparted.Spec{}
	states := make([]nodeState, len(requests))
	for index, request := range requests {
		if states[index], err = stateOf(request, layouts); err != nil {
			states[index] = nodeState{Error: err.Error()}
		}
	}
	return states, nil
}

func stateOf(request nodeRequest, layouts map[string]migparted.Spec) (nodeState, error) {
	config, err := pluginConfig(request.DevicePlugin, request.MigStrategy)
	if err != nil {
		return nodeState{}, err
	}
	gpus, err := gpusOf(request, layouts)
	if err != nil {
		return nodeState{}, err
	}
	state := nodeState{
		MigStrategy: *config.Flags.MigStrategy,
		Sharing:     string(config.Sharing.SharingStrategy()),
		GPUs:        gpus,
		Replicas:    map[deviceplugin.ResourceName]int{},
	}
	// validateFlags of cmd/nvidia-device-plugin/main.go.
	if state.Sharing == string(deviceplugin.SharingStrategyMPS) &&
		state.MigStrategy == deviceplugin.MigStrategyMixed {
		return nodeState{}, errors.New("using --mig-strategy=mixed is not supported with MPS")
	}
	if state.Offers, err = devicesOf(gpus, state.MigStrategy); err != nil {
		return nodeState{}, err
	}
	share(&state, config)
	return state, nil
}

// gpusOf walks the layout over the node as WalkSelectedMigConfigForEachGPU of mig-parted does, which
// takes the device ids from the driver. A GPU that no entry speaks of is left as it is: an error.
func gpusOf(request nodeRequest, layouts map[string]migparted.Spec) ([]gpuState, error) {
	gpus := make([]gpuState, len(request.DeviceIDs))
	if request.MigParted == "" {
		return gpus, nil
	}
	spec, err := migSpec(request.MigParted, layouts)
	if err != nil {
		return nil, err
	}
	entries, ok := spec.MigConfigs[request.Layout]
	if !ok {
		return nil, fmt.Errorf("selected mig-config not present: %s", request.Layout)
	}
	touched := make([]int, len(gpus))
	for _, entry := range entries {
		for index, id := range request.DeviceIDs {
			device, err := types.NewDeviceIDFromString(id)
			if err != nil {
				return nil, err
			}
			if entry.MatchesDeviceFilter(device) && entry.MatchesDevices(index) {
				gpus[index] = gpuState{entry.MigEnabled, entry.MigDevices}
				touched[index]++
			}
		}
	}
	for index, times := range touched {
		if times != 1 {
			return nil, fmt.Errorf("layout %s speaks %d times of GPU %d", request.Layout, times, index)
		}
	}
	return gpus, nil
}

func migSpec(path string, layouts map[string]migparted.Spec) (migparted.Spec, error) {
	if spec, ok := layouts[path]; ok {
		return spec, nil
	}
	loaded, err := loadMigParted(path)
	if err != nil {
		return migparted.Spec{}, err
	}
	layouts[path] = loaded.(migparted.Spec)
	return layouts[path], nil
}

// devicesOf counts the devices by resource name before sharing: internal/rm of the device plugin
// (AddDefaultResourcesToConfig, deviceMapBuilder), which asks the driver for them.
func devicesOf(gpus []gpuState, strategy string) (map[deviceplugin.ResourceName]int, error) {
	offers := map[deviceplugin.ResourceName]int{}
	kinds := map[string]bool{}
	for index, gpu := range gpus {
		if !gpu.MigEnabled || strategy == deviceplugin.MigStrategyNone {
			offers[wholeGPU]++
			kinds["gpu"] = true
			continue
		}
		devices := 0
		// Its own list of profiles needs a driver; their format was checked when the file was loaded.
		for profile, count := range gpu.MigDevices {
			if count == 0 {
				continue
			}
			name := wholeGPU
			if strategy == deviceplugin.MigStrategyMixed {
				var err error
				if name, err = migResource(profile); err != nil {
					return nil, err
				}
			}
			devices += count
			offers[name] += count
			kinds[profile] = true
		}
		if strategy == deviceplugin.MigStrategySingle && devices == 0 {
			return nil, fmt.Errorf("device %d has no MIG devices configured", index)
		}
	}
	if strategy == deviceplugin.MigStrategySingle && len(kinds) > 1 {
		return nil, errors.New("more than one MIG device type present on node")
	}
	return offers, nil
}

func migResource(profile string) (deviceplugin.ResourceName, error) {
	return deviceplugin.NewResourceName(strings.ReplaceAll("mig-"+profile, "+", "."))
}

// share replicates and renames: updateDeviceMapWithReplicas of the device plugin.
func share(state *nodeState, config *deviceplugin.Config) {
	replicated := config.Sharing.ReplicatedResources()
	state.OneAtATime = replicated.FailRequestsGreaterThanOne
	for _, one := range replicated.Resources {
		state.Replicas[one.Name] = one.Replicas
		devices, ok := state.Offers[one.Name]
		if !ok {
			continue
		}
		name := one.Name
		if one.Rename != "" {
			name = one.Rename
		}
		delete(state.Offers, one.Name)
		state.Offers[name] += devices * one.Replicas
	}
}
