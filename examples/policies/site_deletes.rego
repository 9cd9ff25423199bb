# No site is deleted, or replaced by a new one, unless the pull request has the label allow-site-deletes.
# data.labels: the labels of the pull request.
package main

import rego.v1

site_deletes_allowed if "allow-site-deletes" in data.labels

site_deletes_message(organization, site) := sprintf("%s: %s would be deleted; add the label allow-site-deletes if that is meant", [organization.label, site])

deny contains message if {
	not site_deletes_allowed
	some organization in input.organizations
	some step in organization.steps
	step.kind == "site"
	step.action in {"delete", "replace"}
	step.phase == "delete"
	message := site_deletes_message(organization, step.address)
}

# What is deleted along with another object.
deny contains message if {
	not site_deletes_allowed
	some organization in input.organizations
	some step in organization.steps
	some gone in object.get(step, "cascade", [])
	gone.kind == "site"
	message := site_deletes_message(organization, gone.title)
}
