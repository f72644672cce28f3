#!/bin/sh
# Measures `overnight replay` of 100,000 events beside `cat` of the same journal, without building the
# other programs optimised: the generator may be slow, only the two programs are timed.
# usage: benches/replay.sh
set -eu
cd "$(dirname "$0")/.."
cargo build -q --release --bin overnight
made=$(cargo build -q --bench replay --message-format=json |
    sed -n 's/.*"name":"replay".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
exec "$made" target/release/overnight
