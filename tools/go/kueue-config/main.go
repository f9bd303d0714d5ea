// kueue-config loads a Kueue manager configuration as the manager does at its start, checks its
// feature gates and values likewise, and prints it with the defaults filled in.
//
//	kueue-config FILE
//
// Exit code 1: the manager would not start, with its reason on stderr.
package main

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	configv1beta1 "sigs.k8s.io/kueue/apis/config/v1beta1"
	configv1beta2 "sigs.k8s.io/kueue/apis/config/v1beta2"
	"sigs.k8s.io/kueue/pkg/config"
	// Each kind of job that Kueue manages registers the name that integrations.frameworks may hold.
	_ "sigs.k8s.io/kueue/pkg/controller/jobs"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kueue-config FILE")
		os.Exit(2)
	}
	text, err := load(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(text)
}

func load(path string) (string, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, configv1beta1.AddToScheme, configv1beta2.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return "", err
		}
	}
	_, loaded, err := config.Load(scheme, path)
	if err != nil {
		return "", err
	}
	if err := config.LoadAndValidateFeatureGates("", loaded.FeatureGates).ToAggregate(); err != nil {
		return "", err
	}
	if err := config.Validate(&loaded, scheme).ToAggregate(); err != nil {
		return "", err
	}
	return config.Encode(scheme, &loaded)
}
