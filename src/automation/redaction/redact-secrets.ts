/**
 * Redacts known values in texts: as they are, and encoded as JSON, addresses and base64, also when nested. Every byte that
 * belongs to any occurrence is replaced, so values that contain or overlap each other leave nothing behind.
 *
 * Bytes that encodings exchange for each other count as equal: `+`, `-` and the space, `/` and `_`. A value of fewer than four
 * bytes is replaced only where it stands alone, because it might equal any digit of a record; empty values are ignored.
 */
import { LRUCache } from 'lru-cache'
import {
  type BytePattern,
  type ByteSearch,
  bytePattern,
  createByteSearch,
  SHORTEST_PATTERN,
} from './byte-search.ts'
import { REDACTED } from './credential-names.ts'
import { viewsOf } from './decoded-views.ts'

export type Secrets = {
  readonly add: (secret: string) => void
  /** Returns the same text when it contains no secret. */
  readonly replace: (text: string) => string
  /** The secrets in the form in which they were added. */
  readonly values: () => Iterable<string>
}

/** One form in which a value may occur in a text. */
type Form = {
  readonly pattern: BytePattern
  /** Occurs in every unencoded text that holds the form; empty when the form has no such part. */
  readonly plainPart: string
}

export function createSecrets(): Secrets {
  const known = new Set<string>()
  const short = new Set<string>()
  const forms: Form[] = []
  /** Filled when a text has to be searched in full. */
  const patterns = createByteSearch()
  let searched = 0
  /** Secrets whose forms are not computed yet: most records are too short to hold any of them. */
  let waiting: string[] = []
  let shortest = Number.POSITIVE_INFINITY
  const formsKnown = (): readonly Form[] => {
    for (const secret of waiting) forms.push(...formsOf(secret))
    waiting = []
    return forms
  }
  const find: ByteSearch['find'] = (bytes, found) => {
    for (; searched < forms.length; searched++) patterns.add(forms[searched]!.pattern)
    patterns.find(bytes, found)
  }
  return {
    values: () => known,
    add: (secret) => {
      // Parts of the mark itself are not secret.
      if (known.has(secret) || REDACTED.includes(secret)) return
      known.add(secret)
      shortest = Math.min(shortest, secret.length)
      if (Buffer.byteLength(secret) >= SHORTEST_PATTERN) waiting.push(secret)
      else if (/[\p{L}\p{N}]/u.test(secret)) short.add(secret)
    },
    replace: (text) => {
      // No encoding shortens a text, but base64 shares up to two digits at its ends with the neighbouring bytes.
      if (text.length < shortest - 2 || text === '') return text
      const rest = mayHold(text, formsKnown()) ? replaceIn(text, find) : text
      return short.size === 0 ? rest : rest.replace(standingAlone(short), REDACTED)
    },
  }
}

/**
 * A quick look first: most texts hold neither a sign of an encoding nor the plain part of a form. Its worst case takes the length
 * of the text times the length of the parts, so long texts and many forms go to the full search at once.
 */
const mayHold = (text: string, forms: readonly Form[]): boolean =>
  forms.length > 0 &&
  (text.length > MOST_LOOKED_AT ||
    forms.length > MOST_LOOKED_FOR ||
    text.includes('\\') ||
    text.includes('%') ||
    forms.some(({ plainPart }) => plainPart === '' || text.includes(plainPart)))

const MOST_LOOKED_AT = 65_536
const MOST_LOOKED_FOR = 32
/** A longer part would hardly rule out more texts. */
const MOST_OF_PART = 16

const replaceIn = (text: string, find: ByteSearch['find']): string =>
  replaceRanges(text, (bytes, found) => {
    for (const view of viewsOf(bytes)) {
      const place = (at: number) => view.origin?.[at] ?? at
      find(exchange(view.bytes), (start, end) => found(place(start), place(end)))
    }
  })

const exchanged = Uint8Array.from({ length: 256 }, (_, byte) => byte)
for (const [from, to] of ['+ ', '- ', '_/']) exchanged[from!.charCodeAt(0)] = to!.charCodeAt(0)

function exchange(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) result[at] = exchanged[bytes[at]!]!
  return result
}

/** A cache, because callers send the same credential again and runs read the same secrets. Sizes are bytes of the forms. */
const knownForms = new LRUCache<string, readonly Form[]>({ maxSize: 2 ** 20 })

function formsOf(secret: string): readonly Form[] {
  const known = knownForms.get(secret)
  if (known !== undefined) return known
  const bytes = Buffer.from(secret)
  const forms = [bytes, ...base64FormsOf(bytes)].map((form) => ({
    pattern: bytePattern(exchange(form)),
    plainPart: plainPartOf(form),
  }))
  knownForms.set(secret, forms, { size: 12 * bytes.length })
  return forms
}

/** The longest run of ASCII that no encoding changes, or its beginning. */
const plainPartOf = (form: Buffer): string =>
  form
    .toString('latin1')
    .split(/[^\0-\x7f]|[+\- _/]/)
    .reduce((longest, part) => (part.length > longest.length ? part : longest))
    .slice(0, MOST_OF_PART)

/** The base64 digits of the bytes for each position in a group of three, without digits that depend on the neighbouring bytes. */
const base64FormsOf = (bytes: Buffer): readonly Buffer[] =>
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

/** Sorts the ranges and joins those that touch or overlap. */
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
