package main

import (
	"fmt"
	"reflect"
	"strings"
)

// unknownKey returns the first key of value that the Go type has no field for, or "". It looks
// where UnmarshalStrict cannot: the device plugin's types decode their own fields, laxly.
func unknownKey(value any, known reflect.Type, path string) string {
	for known.Kind() == reflect.Pointer {
		known = known.Elem()
	}
	switch value := value.(type) {
	case []any:
		if known.Kind() != reflect.Slice {
			return ""
		}
		for index, item := range value {
			if found := unknownKey(item, known.Elem(), fmt.Sprintf("%s[%d]", path, index)); found != "" {
				return found
			}
		}
	case map[string]any:
		if known.Kind() != reflect.Struct {
			return ""
		}
		fields := fieldsOf(known)
		for key, item := range value {
			field, ok := fields[key]
			if !ok {
				return path + "." + key
			}
			if found := unknownKey(item, field, path+"."+key); found != "" {
				return found
			}
		}
	}
	return ""
}

// fieldsOf maps the JSON names of a struct to the types of their fields, embedded structs included.
func fieldsOf(structure reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for index := range structure.NumField() {
		field := structure.Field(index)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous:
			for inner, kind := range fieldsOf(field.Type) {
				fields[inner] = kind
			}
		case name != "" && name != "-":
			fields[name] = field.Type
		}
	}
	return fields
}
