/**
 * Lenient percent-decoding for version 1: values that a client encoded by hand before its library encoded them, where a lone
 * percent sign stays as it is. The address itself is decoded strictly.
 */
import { decodeEscapedUtf8 } from '../../kernel/addresses/form-encoding.ts'

/** Decodes only escapes, each on its own: `a+b` stays `a+b`, `a%3Bb` is `a;b`, `100%` stays `100%`, `%41%FF` is `A%FF`. */
export function decodeEscapes(text: string): string {
  return text.replace(ESCAPED_CHARACTER, (one) => decodeEscapedUtf8(one) ?? one)
}

/** As many escapes as the first byte requires in UTF-8 (RFC 3629, section 3); decoding may still refuse them. */
const ESCAPED_CHARACTER =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi
