. lib/shop.sh
got=$(price 3 250 2>&1)
[ "$got" = "7.50" ] || { echo "price 3 250: $got, expected 7.50"; exit 1; }
