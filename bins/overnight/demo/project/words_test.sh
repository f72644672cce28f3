. ./tests/check.sh
. ./lib/words.sh
check "none" "0" "$(words "")"
check "three" "3" "$(words "one two  three")"
finish
