/** Integers by secure random. */
import { getRandomValues } from 'node:crypto'

/** Both ends, which are safe integers, are included. */
export function randomBetween(least: number, most: number): number {
  const count = BigInt(most) - BigInt(least) + 1n
  return Number(BigInt(least) + below(count))
}

/** Draws beyond the last whole multiple of the count are thrown away: they would favour small numbers. */
function below(count: bigint): bigint {
  const fair = 2n ** 64n - (2n ** 64n % count)
  for (;;) {
    const draw = getRandomValues(new BigUint64Array(1))[0] as bigint
    if (draw < fair) return draw % count
  }
}
