# No site is deleted, or replaced by a new one, unless the pull request has the label allow-site-deletes.
# data.labels: the labels of the pull request.
package main

import rego.v1

deny contains message if {
	not site_deletes_allowed
	some organization in input.organizations
	some step in organization.steps
	some site in deleted_sites(step)
	message := sprintf("%s: %s would be deleted; add the label allow-site-deletes if that is meant", [organization.label, site])
}

site_deletes_allowed if "allow-site-deletes" in data.labels

deleted_sites(step) := {step.address |
	step.kind == "site"
	step.action in {"delete", "replace"}
	step.phase == "delete"
} | {gone.title |
	some gone in object.get(step, "cascade", [])
	gone.kind == "site"
}
