// goread says what the Go libraries of Kubernetes make of texts.
//
// Standard input is a JSON list of texts, standard output a JSON list with one answer for each.
//
//	goread yaml       {"kubectl": value, "v3": value}; a value that cannot be read is {"error": ...}
//	goread quantity   {"value": the canonical form, "nano": the number in units of 1e-9} or {"error": ...}
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	yamlv3 "go.yaml.in/yaml/v3"
	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

func main() {
	readers := map[string]func(string) any{"yaml": readYAML, "quantity": readQuantity}
	if len(os.Args) != 2 || readers[os.Args[1]] == nil {
		stop("usage: goread yaml|quantity")
	}
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		stop(err)
	}
	answers := make([]any, len(texts))
	for i, text := range texts {
		answers[i] = readers[os.Args[1]](text)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		stop(err)
	}
}

func stop(why any) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(2)
}

func failed(err error) any { return map[string]string{"error": err.Error()} }

func readYAML(text string) any {
	return map[string]any{"kubectl": kubectl(text), "v3": v3(text)}
}

func kubectl(text string) any {
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return failed(err)
	}
	return decoded(data)
}

func v3(text string) any {
	var value any
	if err := yamlv3.Unmarshal([]byte(text), &value); err != nil {
		return failed(err)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return failed(err)
	}
	return decoded(data)
}

func decoded(data []byte) any {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return failed(err)
	}
	return value
}

func readQuantity(text string) any {
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return failed(err)
	}
	quantity.Neg()
	quantity.Neg() // a quantity remembers the text it was read from until it changes
	value := quantity.String()
	nano := new(inf.Dec).Mul(quantity.AsDec(), inf.NewDec(1, -9))
	return map[string]string{
		"value": value,
		"nano":  new(inf.Dec).Round(nano, 0, inf.RoundExact).String(),
	}
}
