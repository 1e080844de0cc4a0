# Sourced: cargo flags that build jostle itself as in a release. A step hardly calls dependencies, so
# these come from the test build, and only jostle is compiled again.
# shellcheck shell=bash
as_released=()
for setting in opt-level=3 codegen-units=1 debug-assertions=false overflow-checks=false; do
    as_released+=(--config "profile.dev.package.jostle.$setting")
done
