# Sourced: flags for cargo to build jostle as it is released, but for libraries, which a step hardly calls: those
# are at hand from the tests, so that only jostle itself is compiled anew.
as_released=()
for setting in opt-level=3 codegen-units=1 debug-assertions=false overflow-checks=false; do
    as_released+=(--config "profile.dev.package.jostle.$setting")
done
