/**
 * Redacts what looks like a credential or is named like one: tokens, `name=value`, `"name": "value"`, elements of XML, passwords
 * in addresses. Works on texts of any kind, also on JSON that was cut. The time of each step is proportional to the length of the
 * text: it starts at a sign that must occur, and looks back a bounded distance.
 */
import { isCredentialName, REDACTED } from './credential-names.ts'

export function redactPatterns(text: string): string {
  let rest = redactTokens(text)
  rest = redactAuthorization(rest)
  rest = redactElements(rest)
  rest = redactAddresses(rest)
  return redactNamed(rest)
}

/** `eyJhbGciOi.eyJzdWIi.c2ln`: the first part of a JWT is an object of JSON in base64url. */
const redactTokens = (text: string): string =>
  text.includes('eyJ') ? text.replace(/[\w.-]+/g, redactToken) : text

function redactToken(run: string): string {
  const parts = run.split('.')
  const first = parts.findIndex((part, nth) => nth + 2 < parts.length && /eyJ./.test(part))
  if (first < 0 || parts[first + 1] === '') return run
  const before = parts.slice(0, first).map((part) => `${part}.`)
  return before.join('') + parts[first]!.slice(0, parts[first]!.indexOf('eyJ')) + REDACTED
}

/** Any word after `Bearer`. `Basic` is also an ordinary word, so the word after it must decode to a name and a password. */
const redactAuthorization = (text: string): string =>
  text
    .replace(/(?<![a-z])(bearer(?:\s|%20|\+){1,10})[\w.~+/=%-]+/gi, `$1${REDACTED}`)
    .replace(
      /(?<![a-z])(basic(?:\s|%20|\+){1,10})([\w+/-]+(?:=|%3d){0,2})/gi,
      (found, scheme: string, word: string) =>
        Buffer.from(word, 'base64').includes(':') ? scheme + REDACTED : found,
    )

/** `<wsse:Password Type="text">hunter2</wsse:Password>` */
const redactElements = (text: string): string =>
  text.includes('<')
    ? text.replace(
        /<(?:[\w-]{1,50}:)?([\w.-]{1,100})(?:\s[^<>]{0,500})?>([^<]+)/g,
        (found, name: string, value: string) =>
          value.trim() !== '' && isCredentialName(name, value)
            ? found.slice(0, found.length - value.length) + REDACTED
            : found,
      )
    : text

/** `https://name:password@host` */
const redactAddresses = (text: string): string =>
  text.includes('://')
    ? text.replace(/(:\/\/[^\s/:@"'<>]{0,200}:)[^\s/@"'<>]{1,500}@/g, `$1${REDACTED}@`)
    : text

function redactNamed(text: string): string {
  const signs = /[=:]/g
  let rest = ''
  let copied = 0
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    const { name, isQuoted } = nameBefore(text, sign.index, copied)
    if (!isCredentialName(name)) continue
    const value = valueAfter(text, sign.index, isQuoted)
    if (value === undefined || !isCredentialName(name, text.slice(value.start, value.end))) continue
    rest += text.slice(copied, value.start) + REDACTED
    copied = value.end
    signs.lastIndex = Math.max(value.end, signs.lastIndex)
  }
  return copied === 0 ? text : rest + text.slice(copied)
}

const LONGEST_NAME = 200
const MOST_SPACES = 10

/** The name before the sign, or an empty text. Its quotation mark may be escaped. */
function nameBefore(text: string, sign: number, from: number): { name: string; isQuoted: boolean } {
  const back = (at: number, characters: RegExp, most: number): number => {
    const least = Math.max(from, at - most)
    while (at > least && characters.test(text[at - 1]!)) at--
    return at
  }
  const spaces = back(sign, /\s/, MOST_SPACES)
  const quote = back(spaces, /["']/, 1)
  const end = quote === spaces ? quote : back(quote, /\\/, MOST_SPACES)
  return { name: text.slice(back(end, /[\w.[\]-]/, LONGEST_NAME), end), isQuoted: quote < spaces }
}

type Value = { readonly start: number; readonly end: number }

const SPACES = /\s*/y
const QUOTE = /\\*["']/y
const BARE = /[^\s&;,"'<>()[\]{}\\]+/y
const NOTHING_TO_HIDE = /^(?:null|true|false|undefined|none)$/i

/** A quoted value, or a bare word: always after `=`, but after `:` only when the name is quoted. */
function valueAfter(text: string, sign: number, quotedName: boolean): Value | undefined {
  const start = skip(SPACES, text, sign + 1)
  const opened = skip(QUOTE, text, start)
  if (opened > start) {
    const end = closing(text, opened, text.slice(start, opened))
    return end > opened ? { start: opened, end } : undefined
  }
  if (text[sign] === ':' && !quotedName) return undefined
  const end = skip(BARE, text, start)
  const isValue = end > start && !NOTHING_TO_HIDE.test(text.slice(start, Math.min(end, start + 10)))
  return isValue ? { start, end } : undefined
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/**
 * The end of the text that `quote` opened: the same mark with as many backslashes, or the end of the whole text if it was cut.
 */
function closing(text: string, from: number, quote: string): number {
  const mark = quote.at(-1)!
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\' && at - 1 - backslashes >= from) backslashes++
    if (quote.length === 1 ? backslashes % 2 === 0 : backslashes < 2 * quote.length - 1) {
      return at - Math.min(backslashes, quote.length - 1)
    }
  }
  return text.length
}
