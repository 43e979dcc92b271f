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

const FORMAT = 2

export const NO_ROW = -1

/** A hash has this many characters of base64url: 132 bits, of which a stored step keeps 128. */
export const HASH_LENGTH = 22
const HASH_BYTES = 16

/** The records of a stored step, in the order of their keys. Arrays are views and must not be written. */
export type StepRecords = {
  readonly count: number
  readonly key: (at: number) => RecordKey
  /** Row numbers; {@link NO_ROW} where there is no record. */
  readonly before: Int32Array
  readonly after: Int32Array
  /** Of each record the hashes before, then those after, in `stateBytes` bytes each; zeros where there is no record. */
  readonly hashes: Buffer
  readonly stateBytes: number
}

/** The first bytes of a record's hashes are those of the booking without its segments, or of the invoice. */
export const FRONT_BYTES = HASH_BYTES

const stateBytesOf = (stored: Version2Stored): number => (stored === 'bookings' ? 2 * HASH_BYTES : HASH_BYTES)

/**
 * A line of JSON, padded to whole words, and behind it what is read without parsing: rows before, rows after and the ends of the
 * members of keys, as 32-bit integers; the hashes; and the members of all keys as UTF-8.
 */
type StepHead = Omit<Step, 'changes'> & { readonly format: number; readonly count: number }

const WORD = 4
const LINE_FEED = 0x0a

export function encodeStep({ changes, ...of }: Step): Buffer {
  const head: StepHead = { format: FORMAT, ...of, count: changes.length }
  const line = Buffer.from(JSON.stringify(head))
  const padding = ' '.repeat(WORD - 1 - (line.length % WORD))
  const keys = changes.flatMap(([key]) => key)
  let keyBytes = 0
  const words = Int32Array.from([
    ...changes.map(([, before]) => before?.[0] ?? NO_ROW),
    ...changes.map(([, , after]) => after?.[0] ?? NO_ROW),
    ...keys.map((member) => (keyBytes += Buffer.byteLength(member))),
  ])
  const stateBytes = stateBytesOf(of.stored)
  const hashes = Buffer.alloc(changes.length * 2 * stateBytes)
  const writeHashes = (state: RecordState | null, at: number) => {
    const [, ...texts] = state ?? [NO_ROW]
    for (const [i, text] of texts.entries()) hashes.write(text, at + i * HASH_BYTES, HASH_BYTES, 'base64url')
  }
  for (const [at, [, before, after]] of changes.entries()) {
    writeHashes(before, 2 * at * stateBytes)
    writeHashes(after, (2 * at + 1) * stateBytes)
  }
  return Buffer.concat([
    line,
    Buffer.from(`${padding}\n`),
    Buffer.from(words.buffer),
    hashes,
    Buffer.from(keys.join('')),
  ])
}

/** @throws Error when the bytes are not the wanted step in this format */
export function decodeStep(stored: Uint8Array, wanted: Omit<Step, 'changes'>): StepRecords {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  const begin = bytes.indexOf(LINE_FEED) + 1
  const { format, count, ...of } = JSON.parse(bytes.toString('utf8', 0, begin)) as StepHead
  if (format !== FORMAT) throw new Error(`it has format ${format}, this version reads format ${FORMAT}`)
  for (const name of ['clientNumber', 'stored', 'from', 'to'] as const) {
    if (of[name] !== wanted[name]) throw new Error(`its ${name} is '${of[name]}'`)
  }
  const members = keyMembers[wanted.stored].length
  const stateBytes = stateBytesOf(wanted.stored)
  const hashesBegin = begin + WORD * count * (2 + members)
  const keysBegin = hashesBegin + count * 2 * stateBytes
  // Copied, because views need to begin at whole words of their memory.
  const words = new Int32Array(Uint8Array.from(bytes.subarray(begin, hashesBegin)).buffer)
  const keyEnds = words.subarray(2 * count)
  const member = (i: number): string =>
    bytes.toString('utf8', keysBegin + (i === 0 ? 0 : keyEnds[i - 1]!), keysBegin + keyEnds[i]!)
  return {
    count,
    key: (at) => Array.from({ length: members }, (_, i) => member(at * members + i)),
    before: words.subarray(0, count),
    after: words.subarray(count, 2 * count),
    hashes: bytes.subarray(hashesBegin, keysBegin),
    stateBytes,
  }
}
