. lib/shop.sh
got=$(slug 'Hello, World' 2>&1)
[ "$got" = "hello-world" ] || { echo "slug 'Hello, World': $got, expected hello-world"; exit 1; }
