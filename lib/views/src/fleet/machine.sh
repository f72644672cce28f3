#!/bin/sh
# One machine of the fleet: a fresh clone that joins. The token is read each time that git asks, and the cell
# hides its folder from agents.
set -eu
mkdir -p "$HOME/.config/overnight"
printf '[cell]\nhide = ["/run/overnight"]\n' > "$HOME/.config/overnight/config.toml"
# shellcheck disable=SC2016
helper='!f() { echo username=x-access-token; echo "password=$(cat /run/overnight/git-token)"; }; f'
git clone --quiet --config "credential.helper=$helper" --branch "$BRANCH" -- "$REPOSITORY" work
cd work
overnight trust
exec overnight join origin --members "$MEMBERS" --max-duration 9h
