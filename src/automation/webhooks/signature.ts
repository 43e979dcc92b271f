/**
 * Checks whether a delivery is signed with a secret of its endpoint, from the headers and the bytes of the body. Pure; digests
 * are compared in constant time.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignatureCheck } from '../../schema/endpoint-shapes.ts'

export type Delivery = {
  /** Names are in lower case; values of a repeated name are joined. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The reason is for the log. Senders only learn that the signature was refused. */
export type SignatureVerdict =
  | {
      readonly good: true
      /** Which of the secrets has signed. */
      readonly secretIndex: number
    }
  | { readonly good: false; readonly reason: string }

const bad = (reason: string): SignatureVerdict => ({ good: false, reason })

/** @param secrets all are compared, so that the time does not tell which one has signed */
export function verifySignature(
  check: SignatureCheck,
  secrets: readonly string[],
  delivery: Delivery,
): SignatureVerdict {
  const rule = completed(check)
  const value = delivery.headers[rule.header]?.trim()
  if (value === undefined || value === '') return bad(`the header ${rule.header} is missing`)
  const signed = rule.style === 'stripe' ? stripeParts(value, rule.prefix) : plainParts(value, rule, delivery)
  if ('reason' in signed) return bad(signed.reason)
  const digests = signed.digests.flatMap((text) => decodedDigest(text, rule.encoding) ?? [])
  if (digests.length === 0) return bad(`the header ${rule.header} has no ${rule.encoding} digest`)
  const signedBy = secrets.map((secret) => {
    const expected = createHmac(rule.algorithm, secret)
      .update(beforeBody(rule, signed.seconds))
      .update(delivery.body)
      .digest()
    return digests.some((digest) => isSame(digest, expected))
  })
  const secretIndex = signedBy.indexOf(true)
  if (secretIndex < 0) return bad('the signature does not match the body')
  const late = signed.seconds === null ? null : untimely(Number(signed.seconds), rule, delivery.now)
  return late ?? { good: true, secretIndex }
}

/** Headers whose values must not be recorded, in lower case. */
export const signatureHeaders = (check: SignatureCheck | null): readonly string[] =>
  check === null ? [] : [completed(check).header]

type Rule = {
  readonly style: SignatureCheck['style']
  /** In lower case, like all names of headers here. */
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
      // GitHub sends the older header with SHA-1 in addition to the newer one.
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

/** The digests as they were sent, one of which must match, and the time in seconds if it is signed with the body. */
type Signed = { readonly digests: readonly string[]; readonly seconds: string | null }
type Fault = { readonly reason: string }

/** `t=SECONDS,v1=DIGEST,v1=DIGEST,v0=...`: there are several digests while a secret is replaced; other versions are ignored. */
function stripeParts(value: string, prefix: string): Signed | Fault {
  const parts = value.split(',').map((part) => part.trim())
  const times = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2))
  const [seconds = ''] = times
  if (times.length !== 1 || !isTime(seconds)) return { reason: 'the signature has no time of signing' }
  const digests = parts
    .filter((part) => part.startsWith(prefix))
    .slice(0, MOST_DIGESTS)
    .map((part) => part.slice(prefix.length))
  return { digests, seconds }
}

/** Bounds the work for a long header. No sender signs with that many secrets. */
const MOST_DIGESTS = 16

function plainParts(value: string, rule: Rule, { headers }: Delivery): Signed | Fault {
  const { prefix, timestampHeader, header } = rule
  if (!value.toLowerCase().startsWith(prefix.toLowerCase()))
    return { reason: `the header ${header} does not begin with ${prefix}` }
  const digests = [value.slice(prefix.length)]
  if (timestampHeader === null) return { digests, seconds: null }
  const seconds = headers[timestampHeader]?.trim()
  if (seconds === undefined || !isTime(seconds))
    return { reason: `the header ${timestampHeader} does not hold seconds since 1970` }
  return { digests, seconds }
}

const isTime = (text: string): boolean => /^\d{1,12}$/.test(text)

/** The text that is signed in front of the body. The time must be signed, or a delivery could be repeated with a new time. */
function beforeBody({ style }: Rule, seconds: string | null): string {
  if (seconds === null) return ''
  return style === 'slack' ? `v0:${seconds}:` : `${seconds}.`
}

function decodedDigest(text: string, encoding: Rule['encoding']): Buffer | null {
  const wellFormed = encoding === 'hex' ? /^(?:[0-9a-f]{2})+$/i : /^[A-Za-z0-9+/]+={0,2}$/
  return wellFormed.test(text) ? Buffer.from(text, encoding) : null
}

/** Comparing lengths first is safe: the length of a digest is public. */
const isSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)

function untimely(seconds: number, { toleranceSeconds }: Rule, now: number): SignatureVerdict | null {
  const age = now / 1000 - seconds
  if (Math.abs(age) <= toleranceSeconds) return null
  const distance = Math.round(Math.abs(age))
  const when = age > 0 ? 'ago' : 'in the future'
  return bad(`it was signed ${distance} seconds ${when}; at most ${toleranceSeconds} are allowed`)
}
