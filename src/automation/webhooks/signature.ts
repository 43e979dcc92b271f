/**
 * Is a delivery signed by whom it claims to be from? The endpoint's rule, the secret, the headers and the bytes of the body
 * enter, the verdict leaves. Pure, and digests are compared in constant time.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignatureCheck } from '../../schema/endpoint-shapes.ts'

export type Delivery = {
  /** Names in lower case; repeated ones are joined. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The reason is for the log: senders learn only that they are not believed. */
export type SignatureVerdict = { readonly good: true } | { readonly good: false; readonly reason: string }

const good: SignatureVerdict = { good: true }
const bad = (reason: string): SignatureVerdict => ({ good: false, reason })

export function verifySignature(check: SignatureCheck, secret: string, delivery: Delivery): SignatureVerdict {
  const rule = completed(check)
  const value = delivery.headers[rule.header]?.trim()
  if (value === undefined || value === '') return bad(`the header ${rule.header} is missing`)
  const signed = rule.style === 'stripe' ? stripeParts(value, rule.prefix) : plainParts(value, rule, delivery)
  if ('reason' in signed) return bad(signed.reason)
  const expected = createHmac(rule.algorithm, secret)
    .update(beforeBody(rule, signed.seconds))
    .update(delivery.body)
    .digest()
  const digests = signed.digests.flatMap((text) => decodedDigest(text, rule.encoding) ?? [])
  if (digests.length === 0) return bad(`no ${rule.encoding} digest stands in the header ${rule.header}`)
  if (!digests.some((digest) => isSame(digest, expected))) return bad('the signature is not that of the body')
  return signed.seconds === null ? good : timely(Number(signed.seconds), rule.toleranceSeconds, delivery.now)
}

/** Headers whose values must not be recorded, in lower case. */
export const signatureHeaders = (check: SignatureCheck | null): readonly string[] =>
  check === null ? [] : [completed(check).header]

type Rule = {
  readonly style: SignatureCheck['style']
  /** In lower case, as all headers here. */
  readonly header: string
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64'
  readonly prefix: string
  readonly timestampHeader: string | null
  readonly toleranceSeconds: number
}

function completed(check: SignatureCheck): Rule {
  const { style, algorithm = 'sha256', encoding = 'hex', toleranceSeconds = 300 } = check
  const usual = usually(style, algorithm)
  return {
    style,
    header: (check.header ?? usual.header).toLowerCase(),
    algorithm,
    encoding,
    prefix: check.prefix ?? usual.prefix,
    timestampHeader: (check.timestampHeader ?? usual.timestampHeader)?.toLowerCase() ?? null,
    toleranceSeconds,
  }
}

function usually(style: SignatureCheck['style'], algorithm: Rule['algorithm']) {
  switch (style) {
    case 'github':
      // It still sends the older header, of SHA-1, beside the newer one.
      return {
        header: algorithm === 'sha1' ? 'X-Hub-Signature' : 'X-Hub-Signature-256',
        prefix: `${algorithm}=`,
        timestampHeader: null,
      }
    case 'stripe':
      return { header: 'Stripe-Signature', prefix: 'v1=', timestampHeader: null }
    case 'slack':
      return {
        header: 'X-Slack-Signature',
        prefix: 'v0=',
        timestampHeader: 'X-Slack-Request-Timestamp',
      }
    case 'plain':
      return { header: 'X-Signature', prefix: '', timestampHeader: null }
  }
}

/** Digests as they were sent, one of which has to be right, and the seconds that are signed with the body, if any are. */
type Signed = { readonly digests: readonly string[]; readonly seconds: string | null }
type Fault = { readonly reason: string }

/** `t=SECONDS,v1=DIGEST,v1=DIGEST,v0=...`: several digests while a secret is exchanged, other versions are not ours. */
function stripeParts(value: string, prefix: string): Signed | Fault {
  const parts = value.split(',').map((part) => part.trim())
  const times = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2))
  const [seconds = ''] = times
  if (times.length !== 1 || !isTime(seconds)) return { reason: 'the signature tells no time of signing' }
  const digests = parts
    .filter((part) => part.startsWith(prefix))
    .slice(0, MOST_DIGESTS)
    .map((part) => part.slice(prefix.length))
  return { digests, seconds }
}

/** A header may be long. Nobody signs with that many secrets. */
const MOST_DIGESTS = 16

function plainParts(value: string, rule: Rule, { headers }: Delivery): Signed | Fault {
  const { prefix, timestampHeader, header } = rule
  if (!value.toLowerCase().startsWith(prefix.toLowerCase()))
    return { reason: `the header ${header} does not begin with ${prefix}` }
  const digests = [value.slice(prefix.length)]
  if (timestampHeader === null) return { digests, seconds: null }
  const seconds = headers[timestampHeader]?.trim()
  if (seconds === undefined || !isTime(seconds))
    return { reason: `the header ${timestampHeader} tells no seconds since 1970` }
  return { digests, seconds }
}

const isTime = (text: string): boolean => /^\d{1,12}$/.test(text)

/** What is signed together with the body. A time that is not signed would keep nobody from sending it anew. */
function beforeBody({ style }: Rule, seconds: string | null): string {
  if (seconds === null) return ''
  return style === 'slack' ? `v0:${seconds}:` : `${seconds}.`
}

function decodedDigest(text: string, encoding: Rule['encoding']): Buffer | null {
  const wellFormed = encoding === 'hex' ? /^(?:[0-9a-f]{2})+$/i : /^[A-Za-z0-9+/]+={0,2}$/
  return wellFormed.test(text) ? Buffer.from(text, encoding) : null
}

/** How long a digest of the algorithm is, is no secret. */
const isSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)

function timely(seconds: number, toleranceSeconds: number, now: number): SignatureVerdict {
  const age = now / 1000 - seconds
  if (Math.abs(age) <= toleranceSeconds) return good
  const distance = Math.round(Math.abs(age))
  return bad(`it was signed ${distance} seconds ${age > 0 ? 'ago' : 'ahead'}, over ${toleranceSeconds}`)
}
