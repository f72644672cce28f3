. ./tests/check.sh
. ./lib/price.sh
check "twelve fifty" "$(cat owner-said.txt 2>/dev/null)" "$(price 1250)"
check "the owner has said how" "yes" "$([ -s owner-said.txt ] && echo yes)"
finish
