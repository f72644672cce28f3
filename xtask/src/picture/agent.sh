#!/bin/sh
# Stands for the client: does the work of one task, and says what it cost as the client does.
case " $* " in *" --version "*) echo '2.1.329 (Claude Code)'; exit ;; esac
cat > /dev/null
done_with() { git add -A; git commit -qm "$1"; completion-check declare complete --reason "$2" > /dev/null; }
mkdir -p src
said='It is done.'
case "$OVERNIGHT_TASK" in
prices) printf 'export const cents = (price: number) => Math.round(price * 100);\n' > src/prices.ts
        done_with 'Round prices to cents' 'every price is rounded in one place'; usd=0.62 ;;
receipts) printf 'export const next = (last: number) => last + 1;\n' > src/receipts.ts
        done_with 'Number receipts without gaps' 'the number comes from the last receipt'; usd=0.48 ;;
types)  printf 'export const cart = { total: "0" }; // try %s\n' "$(date +%N)" > src/cart.ts
        said='The cart is strict now, but for one call that still takes a string.'
        done_with 'Make the cart strict' 'the cart is strict'; usd=0.91 ;;
payment) said='I cannot pay without the key.'; printf '// waits for the key\n' > src/payment.ts
        completion-check declare incomplete --needs 'PAY_KEY is not set: a person must give the key' > /dev/null; usd=0.27 ;;
esac
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"%s","total_cost_usd":%s,"terminal_reason":"completed"}\n' \
  "$said" "$OVERNIGHT_TASK" "$usd"
