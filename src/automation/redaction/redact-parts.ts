/**
 * Redacts parts of known values in a message of the service. Messages quote only the beginning of what they found, which a search
 * for the whole value misses. Letter case does not matter, because messages may fold it.
 */
import { REDACTED } from './credential-names.ts'

/** Shorter parts reveal little, and occur in many texts by chance. */
const SHORTEST_PART = 8

/** Messages of the service are shorter. A script wrote a longer one itself, and nothing in it was cut. */
const LONGEST_MESSAGE = 4096

export function redactParts(message: string, secrets: Iterable<string>): string {
  if (message.length < SHORTEST_PART || message.length > LONGEST_MESSAGE) return message
  const folded = folding(message)
  const places = new Map<string, number[]>()
  for (let at = 0; at + SHORTEST_PART <= folded.length; at++) {
    const piece = folded.slice(at, at + SHORTEST_PART)
    const others = places.get(piece)
    if (others === undefined) places.set(piece, [at])
    else others.push(at)
  }
  const isSecret = new Uint8Array(message.length)
  for (const secret of secrets) {
    const value = folding(secret)
    for (let at = 0; at + SHORTEST_PART <= value.length; at++) {
      const found = places.get(value.slice(at, at + SHORTEST_PART)) ?? []
      for (const place of found) isSecret.fill(1, place, place + SHORTEST_PART)
    }
  }
  return withoutSecrets(message, isSecret)
}

/** Folds ASCII letters only, because folding others may change the length of the text. */
const folding = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

function withoutSecrets(message: string, isSecret: Uint8Array): string {
  let rest = ''
  let copied = 0
  for (let start = isSecret.indexOf(1); start >= 0; start = isSecret.indexOf(1, copied)) {
    const end = isSecret.indexOf(0, start)
    rest += message.slice(copied, start) + REDACTED
    copied = end < 0 ? message.length : end
  }
  return rest + message.slice(copied)
}
