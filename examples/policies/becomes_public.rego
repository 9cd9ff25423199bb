# Nothing becomes public that was not.
package main

import rego.v1

deny contains message if {
	some organization in input.organizations
	some step in organization.steps
	some change in step.fields
	change.field == "visibility"
	change.after == "public"
	object.get(change, "before", null) != "public"
	message := sprintf("%s: %s would become public", [organization.label, step.address])
}
