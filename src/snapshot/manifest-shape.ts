/**
 * What a manifest holds, and the check of what was read from its file. The check is written by hand: every start reads a
 * manifest, and to load a library that validates would cost the start more than all the rest of reading it.
 */

import type { StoredName } from '../schema/datasets.ts'
import { FORMAT_VERSION } from './format/file-format.ts'

export type FileEntry = {
  /** Relative to the snapshot's folder, with forward slashes. */
  path: string
  bytes: number
  sha256: string
  rows: number
  elements: number
}

/** A fact about a refresh that did not stop it, but that an operator should check. */
export type RefreshWarning = {
  readonly kind: string
  readonly message: string
  /** How many clients it concerns, if any. */
  readonly clients?: number
}

export type ClientEntry = Record<StoredName, FileEntry> & { clientNumber: string; name: string }

/** A client, and how many records a snapshot has of it. */
export type ServedClient = {
  readonly clientNumber: string
  readonly name: string
  readonly bookings: number
  readonly invoices: number
}

export type Manifest = {
  format: typeof FORMAT_VERSION
  id: string
  extractedAt: string
  publishedAt: string
  rejects: number
  clients: ClientEntry[]
  /** Rows of the extract by table, without rejected rows. Earlier versions did not write it. */
  tables?: Record<string, number>
  /** Invoices that name a booking that is not in the snapshot. Earlier versions did not count them. */
  invoicesWithoutBooking?: number
  /** The warnings of the refresh that made the snapshot. */
  warnings?: RefreshWarning[]
  /** Files beside the records, such as the list of rejects. Only shared snapshots name them. */
  files?: BesideEntry[]
}

export type BesideEntry = Pick<FileEntry, 'path' | 'bytes' | 'sha256'> & { name: string }

/** What every format has had so far: enough to read the counts. */
export type CountedManifest = {
  clients: ({ clientNumber: string } & Record<
    'bookings' | 'invoices',
    Pick<FileEntry, 'rows' | 'elements'>
  >)[]
  tables?: Record<string, number>
}

export const isManifest = (value: unknown): value is Manifest =>
  isObject(value) &&
  value.format === FORMAT_VERSION &&
  isText(value.id) &&
  isMoment(value.extractedAt) &&
  isMoment(value.publishedAt) &&
  isCount(value.rejects) &&
  isListOf(value.clients, isClient) &&
  isTableCounts(value.tables) &&
  (value.invoicesWithoutBooking === undefined || isCount(value.invoicesWithoutBooking)) &&
  (value.warnings === undefined || isListOf(value.warnings, isWarning)) &&
  (value.files === undefined || isListOf(value.files, isBeside))

/** What every format has, including future ones. */
export const hasFormat = (value: unknown): value is { readonly format: number } =>
  isObject(value) && Number.isInteger(value.format)

export const isCountedManifest = (value: unknown): value is CountedManifest =>
  isObject(value) && isListOf(value.clients, isCountedClient) && isTableCounts(value.tables)

type Members = Readonly<Record<string, unknown>>

const isClient = (client: Members): boolean =>
  isText(client.clientNumber) &&
  isText(client.name) &&
  isFile(client.bookings) &&
  isFile(client.invoices) &&
  isFile(client['bookings-v1']) &&
  isFile(client['invoices-v1'])

const isCountedClient = (client: Members): boolean =>
  isText(client.clientNumber) && isCounted(client.bookings) && isCounted(client.invoices)

const isFile = (value: unknown): boolean => isObject(value) && isStored(value) && isCounted(value)

const isBeside = (file: Members): boolean => isText(file.name) && isStored(file)

const isStored = (file: Members): boolean =>
  isText(file.path) && isCount(file.bytes) && isText(file.sha256) && SHA_256.test(file.sha256)

const isCounted = (value: unknown): boolean =>
  isObject(value) && isCount(value.rows) && isCount(value.elements)

const isWarning = (warning: Members): boolean =>
  isText(warning.kind) &&
  isText(warning.message) &&
  (warning.clients === undefined || isCount(warning.clients))

const isTableCounts = (value: unknown): boolean =>
  value === undefined || (isObject(value) && Object.values(value).every(isCount))

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isListOf = (value: unknown, isMember: (member: Members) => boolean): boolean =>
  Array.isArray(value) && value.every((member: unknown) => isObject(member) && isMember(member))

const isText = (value: unknown): value is string => typeof value === 'string'

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0

const isMoment = (value: unknown): boolean =>
  isText(value) && RFC_3339.test(value) && !Number.isNaN(Date.parse(value))

const SHA_256 = /^[0-9a-f]{64}$/

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i
