. lib/shop.sh
got=$(tax 1000 2>&1)
[ "$got" = "80" ] || { echo "tax 1000: $got, expected 80"; exit 1; }
