. lib/shop.sh
got=$(words 'one two  three' 2>&1)
[ "$got" = "3" ] || { echo "words 'one two  three': $got, expected 3"; exit 1; }
