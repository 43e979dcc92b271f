/**
 * Makes record locators like those of reservation systems: six letters and digits without lookalikes (no I, O, 0 or 1). The
 * first is a letter, so that no locator reads as a number. Unique per client by construction, without a list of used ones.
 */

import type { Client } from './client-list.ts'
import { scatter } from './random.ts'

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const TAIL_BITS = 25
const TAIL_MASK = 2 ** TAIL_BITS - 1
/** The number of letters without Z, with which only the shared locator begins. */
const FIRST_LETTERS = 23
const SHARED = 'Z7K4QM'

/** How many locators one client can have. */
export const LOCATORS_PER_CLIENT = 2 ** TAIL_BITS

/** The locator of a client's n-th booking. The two largest clients share their first one: locators are unique per client only. */
export function locatorOf(client: Client, n: number): string {
  if (n === 0 && client.rank < 2) return SHARED
  const tail = shuffled(n, client.key)
  let locator = ALPHABET.charAt(scatter(client.key ^ n) % FIRST_LETTERS)
  for (let shift = TAIL_BITS - 5; shift >= 0; shift -= 5) locator += ALPHABET.charAt((tail >>> shift) & 31)
  return locator
}

/** A permutation of the 25-bit numbers: each step (exclusive or, odd multiplication, shift and mix) can be undone. */
function shuffled(n: number, key: number): number {
  let x = (n ^ key) & TAIL_MASK
  x = Math.imul(x, 0x1a85ec53) & TAIL_MASK
  x ^= x >>> 13
  x = Math.imul(x, 0x0b2ae3d5) & TAIL_MASK
  return x ^ (x >>> 11)
}
