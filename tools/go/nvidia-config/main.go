// nvidia-config loads a configuration file with the code that NVIDIA's own daemons load it with,
// and prints as JSON what they understood.
//
//	nvidia-config device-plugin FILE
//	nvidia-config mig-parted FILE
//	nvidia-config nodes FILE
//
// `nodes` reads a JSON list of nodes, each with the files that its daemons get (nodeRequest), and
// prints for each what they would make of it: the MIG devices of every GPU, the sharing, and what
// the device plugin would offer (nodeState). What needs a driver is done here as the daemons do it.
//
// The device plugin ignores keys it does not know; here they are an error, since a key that is
// ignored is a policy that is not kept. Exit code 1: refused, with the reason on stderr.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	deviceplugin "github.com/NVIDIA/k8s-device-plugin/api/config/v1"
	migparted "github.com/NVIDIA/mig-parted/api/spec/v1"
	"github.com/urfave/cli/v2"
	"sigs.k8s.io/yaml"
)

func main() {
	app := &cli.App{
		Name:        "nvidia-config",
		Usage:       "load a configuration as NVIDIA's daemons do",
		HideVersion: true,
		Commands: []*cli.Command{
			command("device-plugin", loadDevicePlugin),
			command("mig-parted", loadMigParted),
			command("nodes", loadNodes),
		},
	}
	if err := app.Run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(name string, load func(path string) (any, error)) *cli.Command {
	return &cli.Command{
		Name:      name,
		ArgsUsage: "FILE",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return fmt.Errorf("%s takes one FILE", name)
			}
			loaded, err := load(c.Args().First())
			if err != nil {
				return err
			}
			encoder := json.NewEncoder(os.Stdout)
			encoder.SetIndent("", "  ")
			return encoder.Encode(loaded)
		},
	}
}

// loadDevicePlugin loads a file that nothing outside it changes.
func loadDevicePlugin(path string) (any, error) {
	return pluginConfig(path, "")
}

// pluginConfig goes through NewConfig, as the plugin and GPU Feature Discovery do. The strategy is
// what the operator sets as MIG_STRATEGY, or "" where it sets nothing; path is "" without a file.
func pluginConfig(path, strategy string) (*deviceplugin.Config, error) {
	arguments := []string{"plugin"}
	if path != "" {
		if err := refuseUnknown(path); err != nil {
			return nil, err
		}
		arguments = append(arguments, "--config-file", path)
	}
	if strategy != "" {
		arguments = append(arguments, "--mig-strategy", strategy)
	}
	var config *deviceplugin.Config
	flags := []cli.Flag{
		&cli.StringFlag{Name: "config-file"},
		&cli.StringFlag{Name: "mig-strategy", Value: deviceplugin.MigStrategyNone},
	}
	plugin := &cli.App{Flags: flags, Action: func(c *cli.Context) (err error) {
		config, err = deviceplugin.NewConfig(c, flags)
		return err
	}}
	if err := plugin.Run(arguments); err != nil {
		return nil, err
	}
	deviceplugin.DisableResourceNamingInConfig(config)
	return config, nil
}

// refuseUnknown returns an error for a key that the device plugin would ignore.
func refuseUnknown(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var data any
	if err := yaml.UnmarshalStrict(text, &data); err != nil {
		return err
	}
	if key := unknownKey(data, reflect.TypeFor[deviceplugin.Config](), ""); key != "" {
		return fmt.Errorf("the device plugin knows no key %s", key)
	}
	return nil
}

// loadMigParted does what `nvidia-mig-parted --config-file` does; its decoder is strict by itself.
func loadMigParted(path string) (any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var spec migparted.Spec
	if err := yaml.UnmarshalStrict(text, &spec); err != nil {
		return nil, err
	}
	return spec, nil
}
