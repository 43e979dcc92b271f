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

export const encodeStep = (step: Step): Buffer =>
  Buffer.from(`${JSON.stringify({ format: FORMAT, ...step })}\n`)

/** @throws Error when the bytes are not the wanted step in this format */
export function decodeStep(bytes: Uint8Array, wanted: Omit<Step, 'changes'>): Step {
  const { format, ...step } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Step & { format: number }
  if (format !== FORMAT) throw new Error(`it has format ${format}, this version reads format ${FORMAT}`)
  for (const name of ['clientNumber', 'stored', 'from', 'to'] as const) {
    if (step[name] !== wanted[name]) throw new Error(`its ${name} is '${step[name]}'`)
  }
  return step
}
