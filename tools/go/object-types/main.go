// object-types decodes Kubernetes objects strictly into the Go types of the projects that read them,
// encodes them again, and prints as JSON where the two differ.
//
//	object-types FILE...
//
// A FILE holds one object. What is lost on the way is a field that its reader has no place for, or
// reads otherwise than it was written; what is added is a default or a value that is never left out.
// Empty additions (null, "", 0, false, [] and {}) are none. Exit code 1: a file cannot be read.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	monitoringalpha "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	kueuebeta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueuebeta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	nfd "sigs.k8s.io/node-feature-discovery/api/nfd/v1alpha1"
	"sigs.k8s.io/yaml"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// outcome of one file: the reason why it is refused, or the paths that do not come back.
type outcome struct {
	File  string   `json:"file"`
	Type  string   `json:"type,omitempty"`
	Error string   `json:"error,omitempty"`
	Lost  []string `json:"lost"`
	Added []string `json:"added"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(files []string) error {
	known, err := types()
	if err != nil {
		return err
	}
	decoder := serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer()
	outcomes := make([]outcome, len(files))
	for index, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		outcomes[index] = roundTrip(decoder, text)
		outcomes[index].File = file
	}
	return json.NewEncoder(os.Stdout).Encode(outcomes)
}

// types gives all that our manifests may hold: Kubernetes' own, and those of what is installed.
func types() (*runtime.Scheme, error) {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, kueuebeta1.AddToScheme, kueuebeta2.AddToScheme, volcano.AddToScheme,
		monitoring.AddToScheme, monitoringalpha.AddToScheme, nfd.AddToScheme,
	} {
		if err := add(known); err != nil {
			return nil, err
		}
	}
	return known, nil
}

func roundTrip(decoder runtime.Decoder, text []byte) outcome {
	object, _, err := decoder.Decode(text, nil, nil)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	var before, after any
	if err := yaml.Unmarshal(text, &before); err != nil {
		return outcome{Error: err.Error()}
	}
	if err := json.Unmarshal(encoded, &after); err != nil {
		return outcome{Error: err.Error()}
	}
	found := outcome{Type: fmt.Sprintf("%T", object), Lost: []string{}, Added: []string{}}
	found.compare("", before, after)
	return found
}
