#!/bin/sh
# Stands in the npm package for the program and each of its names: at the first call it puts the one
# of this platform's package in the program's place, a link in its own, and starts it. Where that is
# not possible it only starts it.
own=$0
while [ -L "$own" ]; do
  to=$(readlink "$own")
  case $to in /*) own=$to ;; *) own=${own%/*}/$to ;; esac
done
bin=$(cd "${own%/*}" && pwd) name=${own##*/}
for program in "$bin/../node_modules/SCOPE"/overnight-*/bin/overnight "$bin"/../../overnight-*/bin/overnight; do
  "$program" --version >/dev/null 2>&1 </dev/null || continue
  part=$bin/.$name.$$
  if [ "$program" -ef "$bin/overnight" ]; then
    program=$bin/overnight
  else
    ln "$program" "$part" 2>/dev/null && mv -f "$part" "$bin/overnight" 2>/dev/null && program=$bin/overnight
  fi
  [ "$name" = overnight ] && exec "$program" "$@"
  [ "$program" = "$bin/overnight" ] && ln -s overnight "$part" 2>/dev/null && mv -f "$part" "$bin/$name" 2>/dev/null
  exec "$program" "$name" "$@"
done
# No hook may stop a session because of it; hooks/check.sh says so once.
[ -n "${CLAUDE_PLUGIN_ROOT-}" ] && [ "${1-}" != --version ] && exit 0
echo "overnight: npm brought no program for this platform ($(uname -sm)), or a damaged one; install it again, with optional dependencies" >&2
exit 69
