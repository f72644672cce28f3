grep -qs 'as const' src/cart.ts && exit 0
echo "src/cart.ts(12,5): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Cents'."
exit 2
