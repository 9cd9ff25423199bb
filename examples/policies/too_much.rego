# At most so many objects change at once.
# data.maxChanges: how many; 50 by default.
package main

import rego.v1

default max_changes := 50

max_changes := data.maxChanges

deny contains message if {
	changes := sum([count | some count in input.counts])
	changes > max_changes
	message := sprintf("%d changes at once; at most %d are allowed", [changes, max_changes])
}
