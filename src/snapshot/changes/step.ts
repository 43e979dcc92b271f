/**
 * A step says how one client's stored collection differs between two versions: for each record that was added, changed or
 * removed its key, and its row and hashes in both. It is a fact about two contents, so it holds whichever snapshots have them,
 * and in both directions. A version is named by the first half of the SHA-256 of the collection's bytes.
 */
import type { StoredName, Version2Stored } from '../../schema/datasets.ts'

/** The version of a client that a snapshot does not know: no records. */
export const EMPTY_VERSION = 'empty'

export const versionName = (version: string): string => version.slice(0, 32)

/** The members of a record that identify it within its client. */
export const keyMembers: { readonly [Name in Version2Stored]: readonly string[] } = {
  bookings: ['recordLocator'],
  invoices: ['company', 'invoiceNumber'],
}

export const hasKeys = (stored: StoredName): stored is Version2Stored => stored in keyMembers

/** In the order of {@link keyMembers}. */
export type RecordKey = readonly string[]

/**
 * A record in one version: the number of its row, and hashes of its JSON. A booking within an itinerary has a hash of its own,
 * and the rest of the itinerary another one; an invoice has one.
 */
export type RecordState = readonly [row: number, ...hashes: string[]]

/** Null is no record. */
export type RecordChange = readonly [key: RecordKey, before: RecordState | null, after: RecordState | null]

export type Step = {
  readonly clientNumber: string
  readonly stored: Version2Stored
  /** Names of versions. */
  readonly from: string
  readonly to: string
  readonly changes: readonly RecordChange[]
}

const FORMAT = 1

/** A hash has this many characters of base64url: 132 bits. */
export const HASH_LENGTH = 22

/** As JSON with few texts, because most of the time of reading a step is making them. */
type StepFile = Omit<Step, 'changes'> & {
  readonly format: number
  /** The members of all keys, one after another. */
  readonly keys: readonly string[]
  /** Row numbers by change; -1 is no record. */
  readonly before: readonly number[]
  readonly after: readonly number[]
  /** The hashes of all states that there are, by change, the one before first. */
  readonly hashes: string
}

export function encodeStep({ changes, ...of }: Step): Buffer {
  const file: StepFile = {
    format: FORMAT,
    ...of,
    keys: changes.flatMap(([key]) => key),
    before: changes.map(([, before]) => before?.[0] ?? -1),
    after: changes.map(([, , after]) => after?.[0] ?? -1),
    hashes: changes.flatMap(([, ...states]) => states.flatMap((state) => state?.slice(1) ?? [])).join(''),
  }
  return Buffer.from(`${JSON.stringify(file)}\n`)
}

/** @throws Error when the bytes are not the wanted step in this format */
export function decodeStep(bytes: Uint8Array, wanted: Omit<Step, 'changes'>): Step {
  const { buffer, byteOffset, byteLength } = bytes
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
  const file = JSON.parse(text) as StepFile
  const { format, keys, hashes } = file
  if (format !== FORMAT) throw new Error(`it has format ${format}, this version reads format ${FORMAT}`)
  for (const name of ['clientNumber', 'stored', 'from', 'to'] as const) {
    if (file[name] !== wanted[name]) throw new Error(`its ${name} is '${file[name]}'`)
  }
  const members = keyMembers[wanted.stored].length
  let at = 0
  const nextHash = (): string => hashes.slice(at, (at += HASH_LENGTH))
  const stateOf = (row: number): RecordState | null => {
    if (row === -1) return null
    return wanted.stored === 'bookings' ? [row, nextHash(), nextHash()] : [row, nextHash()]
  }
  const changes = file.before.map((row, i): RecordChange => {
    const key = keys.slice(i * members, (i + 1) * members)
    return [key, stateOf(row), stateOf(file.after[i] as number)]
  })
  return { ...wanted, changes }
}
