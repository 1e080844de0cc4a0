# Sourced: cargo flags that build jostle itself as in a release. Dependencies, which a step hardly
# calls, are those of the test build, so only jostle is compiled again.
as_released=()
for setting in opt-level=3 codegen-units=1 debug-assertions=false overflow-checks=false; do
    as_released+=(--config "profile.dev.package.jostle.$setting")
done
