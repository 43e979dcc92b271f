/**
 * Percent-decoding for version 1: strictly for the address, where every mistake is refused, and leniently for values that a
 * client encoded by hand before its library encoded them, where a lone percent sign stays as it is.
 */

/**
 * Decodes a text of an address by the rules of forms: `a+b` and `a%20b` are `a b`, `a%2Bb` is `a+b`. Undefined for text that is
 * not percent-encoded UTF-8: `100%`, `%zz`, `%E9`.
 */
export function decodeForm(raw: string): string | undefined {
  return decodeStrictly(raw.replaceAll('+', ' '))
}

/** Decodes only escapes, each on its own: `a+b` stays `a+b`, `a%3Bb` is `a;b`, `100%` stays `100%`, `%41%FF` is `A%FF`. */
export function decodeEscapes(text: string): string {
  return text.replace(ESCAPED_CHARACTER, (one) => decodeStrictly(one) ?? one)
}

/** The first escape, or run of escapes, that {@link decodeForm} cannot decode: `%zz`, `%E9`. */
export function undecodablePart(raw: string): string {
  for (const [run] of raw.matchAll(/(?:%[0-9a-f]{2})+|%.{0,2}/gisu)) {
    if (decodeStrictly(run) === undefined) return run
  }
  return raw
}

/** As many escapes as the first byte requires in UTF-8 (RFC 3629, section 3); decoding may still refuse them. */
const ESCAPED_CHARACTER =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi

function decodeStrictly(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
