/**
 * Takes known values out of texts: as they are, and as JSON, addresses and base64 carry them, one within the other. Every
 * place that any of them covers goes, so that a value within another, or overlapping it, leaves nothing of either behind.
 *
 * Bytes that encodings exchange for each other count as one: `+`, `-` and the space, `/` and `_`. A value of fewer than
 * four bytes goes only where it stands alone, for every other digit of a record might be one; empty ones are ignored.
 */
import { REDACTED } from './redaction-mark.ts'
import { createPatterns, SHORTEST_PATTERN } from './redaction-search.ts'
import { viewsOf } from './redaction-views.ts'

export type Secrets = {
  readonly add: (secret: string) => void
  /** The same text when there is nothing in it. */
  readonly replace: (text: string) => string
}

export function createSecrets(): Secrets {
  const known = new Set<string>()
  const short = new Set<string>()
  const patterns = createPatterns()
  return {
    add: (secret) => {
      // What the mark itself consists of tells nobody anything.
      if (known.has(secret) || REDACTED.includes(secret)) return
      known.add(secret)
      const bytes = Buffer.from(secret)
      if (bytes.length < SHORTEST_PATTERN) {
        if (/[\p{L}\p{N}]/u.test(secret)) short.add(secret)
        return
      }
      for (const form of [bytes, ...base64FormsOf(bytes)]) patterns.add(exchange(form))
    },
    replace: (text) => {
      if (known.size === 0 || text === '') return text
      const rest = replaceRanges(text, (bytes, found) => {
        for (const view of viewsOf(bytes)) {
          const place = (at: number) => view.origin?.[at] ?? at
          patterns.find(exchange(view.bytes), (start, end) => found(place(start), place(end)))
        }
      })
      return short.size === 0 ? rest : rest.replace(standingAlone(short), REDACTED)
    },
  }
}

const exchanged = Uint8Array.from({ length: 256 }, (_, byte) => byte)
for (const [from, to] of ['+ ', '- ', '_/']) exchanged[from!.charCodeAt(0)] = to!.charCodeAt(0)

function exchange(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) result[at] = exchanged[bytes[at]!]!
  return result
}

/** What base64 makes of the bytes wherever they begin in a group of three: the digits that depend on nothing else. */
const base64FormsOf = (bytes: Buffer): readonly Uint8Array[] =>
  [0, 1, 2].map((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return Buffer.from(
      digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
    )
  })

type Range = { readonly start: number; end: number }

function replaceRanges(
  text: string,
  find: (bytes: Buffer, found: (start: number, end: number) => void) => void,
): string {
  const bytes = Buffer.from(text)
  const ranges: Range[] = []
  find(bytes, (start, end) => {
    const last = ranges.at(-1)
    if (last !== undefined && start >= last.start && start <= last.end) last.end = Math.max(last.end, end)
    else ranges.push({ start, end })
  })
  if (ranges.length === 0) return text
  let rest = ''
  let end = 0
  for (const range of joined(ranges)) {
    rest += bytes.toString('utf8', end, range.start) + REDACTED
    end = range.end
  }
  return rest + bytes.toString('utf8', end)
}

/** In order, with those that touch made one. */
function joined(ranges: Range[]): readonly Range[] {
  const result: Range[] = []
  for (const range of ranges.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end)
    else result.push(range)
  }
  return result
}

const standingAlone = (words: ReadonlySet<string>): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...words].map(literally).join('|')})(?![\\p{L}\\p{N}])`, 'gu')

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
