/**
 * Host functions for signatures. A missing key is refused and never used as the text "null": otherwise a caller who guesses that
 * a secret is not set could sign.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import {
  any,
  define,
  type NativeContext,
  type NativeFunction,
  optional,
  toText,
  type Value,
} from '../../script/values.ts'
import { refusedArgument } from './failures.ts'
import { plainText, wrongArgument } from './host-arguments.ts'

const category = 'Digests'

const hmacSha256 = define({
  name: 'HmacSha256',
  category,
  parameters: [any('key'), any('text'), optional(any('encoding'))],
  returns: 'string',
  about:
    'Returns the HMAC-SHA-256 of the UTF-8 bytes of a text; null counts as the empty text. The encoding is hex (the default), base64 or base64url. The key must not be empty.',
  body(context, key, signed, encoding) {
    if (typeof key !== 'string') throw wrongArgument('HmacSha256', 'a text as key', key)
    if (key === '') throw refusedArgument('HmacSha256 expects a key that is not empty')
    const written = encodingOf('HmacSha256', encoding)
    const text = signedText(context, signed)
    countDigest(context, key.length + text.length)
    return context.text(createHmac('sha256', key).update(text, 'utf8').digest(written))
  },
})

const sha256 = define({
  name: 'Sha256',
  category,
  parameters: [any('text'), optional(any('encoding'))],
  returns: 'string',
  about:
    'Returns the SHA-256 of the UTF-8 bytes of a text; null counts as the empty text. The encoding is hex (the default), base64 or base64url.',
  body(context, hashed, encoding) {
    const written = encodingOf('Sha256', encoding)
    const text = signedText(context, hashed)
    countDigest(context, text.length)
    return context.text(hash('sha256', text, written))
  },
})

const secureEquals = define({
  name: 'SecureEquals',
  category,
  parameters: [any('a'), any('b')],
  returns: 'boolean',
  about:
    'Tests whether two texts are equal, in a time that does not depend on where they differ. Returns false when one of the values is not a text.',
  body(context, a, b) {
    if (typeof a !== 'string' || typeof b !== 'string') return false
    countDigest(context, a.length + b.length)
    // All digests have the same length, and do not show how much of the texts is equal.
    return timingSafeEqual(digestOf(a), digestOf(b)) && a === b
  },
})

export const digestFunctions: readonly NativeFunction[] = [hmacSha256, sha256, secureEquals]

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')

const signedText = (context: NativeContext, value: Value): string =>
  value === null ? '' : toText(value, context.work)

const encodings = ['hex', 'base64', 'base64url'] as const

function encodingOf(name: string, value: Value | undefined): (typeof encodings)[number] {
  if (value === undefined || value === null) return 'hex'
  const wanted = (plainText(value) ?? '').toLowerCase()
  const known = encodings.find((encoding) => encoding === wanted)
  if (known !== undefined) return known
  throw refusedArgument(
    `${name} knows the encodings ${encodings.join(', ')}, but not '${wanted.slice(0, 40)}'`,
  )
}

/** A digest takes about as long as reading the text a few times. */
const countDigest = (context: NativeContext, units: number): void => context.work(1 + Math.floor(units / 25))
