// nvidia-config loads a configuration file with the code that NVIDIA's own daemons load it with,
// and prints as JSON what they understood.
//
//	nvidia-config device-plugin FILE
//	nvidia-config mig-parted FILE
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

// loadDevicePlugin goes through NewConfig, as the plugin and GPU Feature Discovery do.
func loadDevicePlugin(path string) (any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var data any
	if err := yaml.UnmarshalStrict(text, &data); err != nil {
		return nil, err
	}
	if key := unknownKey(data, reflect.TypeFor[deviceplugin.Config](), ""); key != "" {
		return nil, fmt.Errorf("the device plugin knows no key %s", key)
	}
	var config *deviceplugin.Config
	plugin := &cli.App{
		Flags: []cli.Flag{&cli.StringFlag{Name: "config-file"}},
		Action: func(c *cli.Context) error {
			config, err = deviceplugin.NewConfig(c, nil)
			return err
		},
	}
	if err := plugin.Run([]string{"plugin", "--config-file", path}); err != nil {
		return nil, err
	}
	deviceplugin.DisableResourceNamingInConfig(config)
	return config, nil
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
