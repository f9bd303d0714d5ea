package main

import (
	"fmt"
	"reflect"
	"sort"
)

// compare walks both values and notes the paths at which they differ.
func (o *outcome) compare(path string, before, after any) {
	switch left := before.(type) {
	case map[string]any:
		right, ok := after.(map[string]any)
		if !ok {
			o.lose(path, before, after)
			return
		}
		for _, key := range keys(left, right) {
			value, wanted := left[key]
			got, there := right[key]
			switch {
			case wanted && there:
				o.compare(path+"."+key, value, got)
			case wanted && !isEmpty(value):
				o.lose(path+"."+key, value, nil)
			case there && !isEmpty(got):
				o.Added = append(o.Added, fmt.Sprintf("%s.%s: %v", path, key, got))
			}
		}
	case []any:
		right, ok := after.([]any)
		if !ok || len(left) != len(right) {
			o.lose(path, before, after)
			return
		}
		for index := range left {
			o.compare(fmt.Sprintf("%s[%d]", path, index), left[index], right[index])
		}
	default:
		if !reflect.DeepEqual(before, after) {
			o.lose(path, before, after)
		}
	}
}

func (o *outcome) lose(path string, before, after any) {
	o.Lost = append(o.Lost, fmt.Sprintf("%s: %v became %v", path, before, after))
}

// keys gives the keys of both maps, sorted.
func keys(left, right map[string]any) []string {
	all := map[string]bool{}
	for key := range left {
		all[key] = true
	}
	for key := range right {
		all[key] = true
	}
	sorted := make([]string, 0, len(all))
	for key := range all {
		sorted = append(sorted, key)
	}
	sort.Strings(sorted)
	return sorted
}

// isEmpty tells whether a value says nothing: Go writes some that were never set.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, inner := range value {
			if !isEmpty(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(value) == 0
	default:
		return reflect.ValueOf(value).IsZero()
	}
}
