/**
 * Host functions for signatures. A key that is missing is refused and never taken for a text: whoever guesses that a secret is
 * not set could otherwise sign.
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
    'Answers the HMAC-SHA-256 of the UTF-8 bytes of a text (null is the empty one) in hex, base64 or base64url; hex unless given. The key is a text that is not empty.',
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
    'Answers the SHA-256 of the UTF-8 bytes of a text (null is the empty one) in hex, base64 or base64url; hex unless given.',
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
    'Tells whether two texts are the same, in a time that does not depend on where they differ; what is no text equals nothing.',
  body(context, a, b) {
    if (typeof a !== 'string' || typeof b !== 'string') return false
    countDigest(context, a.length + b.length)
    // Digests have one length, and say nothing of how much of the texts is alike.
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
    `${name} knows the encodings ${encodings.join(', ')}, and not '${wanted.slice(0, 40)}'`,
  )
}

/** A digest takes about as long as going over the text a few times. */
const countDigest = (context: NativeContext, units: number): void => context.work(1 + Math.floor(units / 25))
