/**
 * The token of a list of changes: it names the version of the data that the caller has, and whose and which list that is. It has
 * no records and gives no access: a caller can only ask with it for changes of its own client. 30 bytes as base64url:
 *
 *     format (1) | version (16) | client and list (8) | checksum (5)
 */
import { hash } from 'node:crypto'
import type { ListName } from '../../schema/datasets.ts'
import { EMPTY_VERSION, versionName } from '../../snapshot/changes/step.ts'

const FORMAT = 1
const TOKEN = /^[A-Za-z0-9_-]{40}$/

type Owner = { readonly clientNumber: string; readonly list: ListName }

/** @param version of the data, or its name */
export function makeToken(version: string, owner: Owner): string {
  const bytes = Buffer.alloc(30)
  bytes[0] = FORMAT
  // The empty version stays zero.
  if (version !== EMPTY_VERSION) bytes.write(versionName(version), 1, 'hex')
  ownerBytes(owner).copy(bytes, 17)
  checksumOf(bytes).copy(bytes, 25)
  return bytes.toString('base64url')
}

/** The name of the version; `malformed` for a text that is no token, `foreign` for one of another client or list. */
export function readToken(
  text: string,
  owner: Owner,
): { readonly version: string } | 'malformed' | 'foreign' {
  const bytes = Buffer.from(text, 'base64url')
  if (!TOKEN.test(text) || bytes[0] !== FORMAT) return 'malformed'
  if (!checksumOf(bytes).equals(bytes.subarray(25))) return 'malformed'
  if (!ownerBytes(owner).equals(bytes.subarray(17, 25))) return 'foreign'
  const version = bytes.toString('hex', 1, 17)
  return { version: /^0+$/.test(version) ? EMPTY_VERSION : version }
}

const ownerBytes = ({ clientNumber, list }: Owner): Buffer =>
  hash('sha256', `${list}\n${clientNumber}`, 'buffer').subarray(0, 8)

/** Tells a mistyped or cut token from one of another client. */
const checksumOf = (bytes: Buffer): Buffer => hash('sha256', bytes.subarray(0, 25), 'buffer').subarray(0, 5)
