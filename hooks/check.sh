# Says once a session when the plugin's program cannot run on this machine: missing, or built for
# another platform. It cannot say it itself. Started with /bin/sh by hooks.json.
bin=${0%/hooks/*}/bin
"$bin/overnight" --version >/dev/null 2>&1 && exit 0
# npm left the package of this platform out: what stands in its place lets every call pass.
if [ $? = 69 ]; then
  cat <<'END'
{"systemMessage":"overnight: switched off in this session, its guard too: npm brought no program for this platform, or a damaged one. Install the plugin again, or remove it: claude plugin uninstall overnight@overnight"}
END
  exit 0
fi
cat <<'END'
{"systemMessage":"overnight: its program cannot run on this machine: it is missing or built for another platform. Until that is mended, its guard blocks every tool. Install the plugin for this platform again, or switch it off: claude plugin disable overnight@overnight","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"The program of the Overnight plugin cannot run on this machine, so its guard blocks every tool call. Do not try to work around that. Tell the person to install the plugin for this platform again, or to switch it off with: claude plugin disable overnight@overnight"}}
END
