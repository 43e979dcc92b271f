/**
 * Makes tokens for tests, with any header and claims, signed with real keys by node:crypto only: a test must not rely on the
 * library that it tests.
 */
import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'

export type Claims = Readonly<Record<string, unknown>>
type Signer = (input: Buffer) => Buffer

const base64url = (value: unknown): string =>
  (value instanceof Buffer ? value : Buffer.from(JSON.stringify(value))).toString('base64url')

export function forge(header: Claims, claims: unknown, signer: Signer): string {
  const input = `${base64url(header)}.${base64url(claims)}`
  return `${input}.${base64url(signer(Buffer.from(input)))}`
}

export const hs256 =
  (key: Buffer | string): Signer =>
  (input) =>
    createHmac('sha256', key).update(input).digest()

const signers = {
  RS256: (key: KeyObject) => (input: Buffer) => sign('sha256', input, key),
  RS512: (key: KeyObject) => (input: Buffer) => sign('sha512', input, key),
  PS256: (key: KeyObject) => (input: Buffer) =>
    sign('sha256', input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  ES256: (key: KeyObject) => (input: Buffer) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (key: KeyObject) => (input: Buffer) => sign(null, input, key),
} as const

export const signed = (
  alg: keyof typeof signers,
  { privateKey, kid }: TestKey,
  claims: unknown,
  header: Claims = {},
): string => forge({ alg, kid, ...header }, claims, signers[alg](privateKey))

export type TestKey = { readonly kid: string; readonly privateKey: KeyObject }

export const rsaKey = (kid: string, modulusLength = 2048): TestKey => ({
  kid,
  privateKey: generateKeyPairSync('rsa', { modulusLength }).privateKey,
})

export const ecKey = (kid: string): TestKey => ({
  kid,
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
})

export const edKey = (kid: string): TestKey => ({
  kid,
  privateKey: generateKeyPairSync('ed25519').privateKey,
})

export const publicJwk = ({ kid, privateKey }: TestKey): Claims => ({
  ...createPublicKey(privateKey).export({ format: 'jwk' }),
  kid,
})

export const jwks = (...keys: readonly Claims[]): string => JSON.stringify({ keys })
