// cel-check runs ValidatingAdmissionPolicies on requests, with the API server's own compiler and
// evaluator, without an API server.
//
// Standard input is JSON: {"policies": [ValidatingAdmissionPolicy], "requests": [{"operation",
// "resource", "subresource", "user", "namespace": Namespace, "object": any object}]}. Standard
// output is JSON: {"compile": [messages], "results": [[{"policy", "validation", "message",
// "error"}]]}, one list for each request with what was refused. An object of a built-in type is
// decoded into that type and back first, as in an API server, so that empty fields are absent.
//
// What it leaves out: matching by resource rules and bindings (the caller asks for the policies
// that would match), and defaulting (requests carry what the API server would have filled in).
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/kubernetes/scheme"
)

// The oldest Kubernetes that the guard rails are written for.
var oldest = version.MajorMinor(1, 30)

type request struct {
	Operation   string                     `json:"operation"`
	Resource    string                     `json:"resource"`
	Subresource string                     `json:"subresource"`
	User        string                     `json:"user"`
	Policy      string                     `json:"policy"`
	Namespace   *corev1.Namespace          `json:"namespace"`
	Object      *unstructured.Unstructured `json:"object"`
}

type input struct {
	Policies []admissionv1.ValidatingAdmissionPolicy `json:"policies"`
	Requests []request                               `json:"requests"`
}

type refusal struct {
	Policy     string `json:"policy"`
	Validation int    `json:"validation"`
	Message    string `json:"message"`
	Error      bool   `json:"error"`
}

type output struct {
	Compile []string    `json:"compile"`
	Results [][]refusal `json:"results"`
}

func main() {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		stop(err)
	}
	out := output{Compile: []string{}, Results: [][]refusal{}}
	validators := map[string]validating.Validator{}
	for i := range in.Policies {
		policy := &in.Policies[i]
		for _, problem := range compileErrors(policy) {
			out.Compile = append(out.Compile, policy.Name+": "+problem)
		}
		validators[policy.Name] = compiled(policy)
	}
	for _, asked := range in.Requests {
		out.Results = append(out.Results, evaluate(asked, validators))
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		stop(err)
	}
}

func stop(why any) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(2)
}

func compiler() *cel.CompositedCompiler {
	made, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(oldest, true))
	if err != nil {
		stop(err)
	}
	return made
}

var (
	declarations        = cel.OptionalVariableDeclarations{HasAuthorizer: true, StrictCost: true}
	messageDeclarations = cel.OptionalVariableDeclarations{StrictCost: true}
)

// compileErrors compiles every expression for new objects, as the registry's validation does.
func compileErrors(policy *admissionv1.ValidatingAdmissionPolicy) []string {
	var problems []string
	check := func(result cel.CompilationResult, where string) {
		if result.Error != nil {
			problems = append(problems, where+": "+result.Error.Error())
		}
	}
	at := compiler()
	for _, v := range policy.Spec.Variables {
		accessor := &validating.Variable{Name: v.Name, Expression: v.Expression}
		check(at.CompileAndStoreVariable(accessor, declarations, environment.NewExpressions), "variable "+v.Name)
	}
	for _, m := range policy.Spec.MatchConditions {
		condition := matchconditions.MatchCondition(m)
		check(at.CompileCELExpression(&condition, declarations, environment.NewExpressions), "condition "+m.Name)
	}
	for i, v := range policy.Spec.Validations {
		where := fmt.Sprintf("validation %d", i)
		condition := &validating.ValidationCondition{Expression: v.Expression}
		check(at.CompileCELExpression(condition, declarations, environment.NewExpressions), where)
		if v.MessageExpression != "" {
			message := &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
			check(at.CompileCELExpression(message, messageDeclarations, environment.NewExpressions), where+" message")
		}
	}
	return problems
}

// compiled does what the admission plugin does with a policy that it has read.
func compiled(policy *admissionv1.ValidatingAdmissionPolicy) validating.Validator {
	at := compiler()
	var variables []cel.NamedExpressionAccessor
	for _, v := range policy.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	at.CompileAndStoreVariables(variables, declarations, environment.StoredExpressions)
	var conditions, validations, messages []cel.ExpressionAccessor
	for _, m := range policy.Spec.MatchConditions {
		condition := matchconditions.MatchCondition(m)
		conditions = append(conditions, &condition)
	}
	for _, v := range policy.Spec.Validations {
		validations = append(validations, &validating.ValidationCondition{
			Expression: v.Expression, Message: v.Message, Reason: v.Reason,
		})
		var message cel.ExpressionAccessor
		if v.MessageExpression != "" {
			message = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
		messages = append(messages, message)
	}
	var matcher matchconditions.Matcher
	if len(conditions) > 0 {
		compiledConditions := at.CompileCondition(conditions, declarations, environment.StoredExpressions)
		matcher = matchconditions.NewMatcher(
			compiledConditions, policy.Spec.FailurePolicy, "policy", "validate", policy.Name)
	}
	return validating.NewValidator(
		at.CompileCondition(validations, declarations, environment.StoredExpressions),
		matcher,
		at.CompileCondition(nil, declarations, environment.StoredExpressions),
		at.CompileCondition(messages, messageDeclarations, environment.StoredExpressions),
		policy.Spec.FailurePolicy,
	)
}

func evaluate(asked request, validators map[string]validating.Validator) []refusal {
	validator, ok := validators[asked.Policy]
	if !ok {
		stop("no policy " + asked.Policy)
	}
	gvk := asked.Object.GroupVersionKind()
	gvr := schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: asked.Resource}
	object := typed(asked.Object)
	attributes := admission.NewAttributesRecord(
		object, nil, gvk, asked.Object.GetNamespace(), asked.Object.GetName(), gvr, asked.Subresource,
		admission.Operation(asked.Operation), nil, false, &user.DefaultInfo{Name: asked.User})
	versioned := &admission.VersionedAttributes{
		Attributes: attributes, VersionedObject: object, VersionedKind: gvk,
	}
	result := validator.Validate(
		context.Background(), gvr, versioned, nil, asked.Namespace, celconfig.RuntimeCELCostBudget, nil)
	refused := []refusal{}
	for i, decision := range result.Decisions {
		if decision.Action == validating.ActionDeny {
			refused = append(refused, refusal{
				asked.Policy, i, decision.Message, decision.Evaluation == validating.EvalError,
			})
		}
	}
	return refused
}

func typed(object *unstructured.Unstructured) runtime.Object {
	made, err := scheme.Scheme.New(object.GroupVersionKind())
	if err != nil {
		return object
	}
	err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, made, true)
	if err != nil {
		stop(fmt.Sprintf("%s %s: %v", object.GetKind(), object.GetName(), err))
	}
	return made
}
