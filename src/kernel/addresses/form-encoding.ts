/**
 * Reads form encoding (`application/x-www-form-urlencoded`), in which queries of addresses and bodies of forms are written.
 * The one place for the rule that escapes which are not percent-encoded UTF-8 are refused: decoded anyway, different texts
 * would become the same one.
 */

type FormPair = readonly [name: string, value: string]

const none: readonly FormPair[] = []

/** Names and values as they were sent, in their order, repetitions included. */
export function formPairs(text: string): readonly FormPair[] {
  if (text === '') return none
  return text
    .split('&')
    .filter((part) => part !== '')
    .map(splitPair)
}

function splitPair(part: string): FormPair {
  const equals = part.indexOf('=')
  return equals === -1 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
}

/** `a+b` and `a%20b` are `a b`, `a%2Bb` is `a+b`. Undefined for text that is not percent-encoded UTF-8: `100%`, `%zz`, `%E9`. */
export function decodeForm(raw: string): string | undefined {
  if (!/[%+]/.test(raw)) return raw
  return decodeEscapedUtf8(raw.replaceAll('+', ' '))
}

/**
 * Names and values as they are meant; a part that is not percent-encoded UTF-8 stays as it was sent. Of a megabyte of `a&a&a`,
 * URLSearchParams of Node takes seconds.
 */
export const decodedPairs = (text: string): readonly FormPair[] =>
  formPairs(text).map(([name, value]) => [decodeForm(name) ?? name, decodeForm(value) ?? value])

/** Undefined for text that is not percent-encoded UTF-8. */
export function decodeEscapedUtf8(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The first escape, or run of escapes, that {@link decodeForm} cannot decode: `%zz`, `%E9`. */
export function undecodablePart(raw: string): { readonly part: string; readonly at: number } {
  for (const { 0: part, index: at } of raw.matchAll(/(?:%[0-9a-f]{2})+|%.{0,2}/gisu)) {
    if (decodeEscapedUtf8(part) === undefined) return { part, at }
  }
  return { part: raw, at: 0 }
}

/** What is wrong with the escapes of a text; null if nothing is. Of a form, the whole is good when its parts are. */
export function faultOfForm(text: string): string | null {
  if (decodeForm(text) !== undefined) return null
  const { part, at } = undecodablePart(text)
  return `expected percent-encoded UTF-8, found '${part.slice(0, LONGEST_SHOWN)}' at character ${at}`
}

const LONGEST_SHOWN = 12
