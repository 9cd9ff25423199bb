# Checks the manifests. Needs neither secrets nor a token. Sourced by run.sh.
code=0
octavo validate --format github ${args[@]+"${args[@]}"} || code=$?
exit "$code"
