/**
 * The table of contents of a snapshot: the files of every client with their sizes and checksums. It is written last and has
 * its own checksum. A folder is a snapshot when it holds an intact manifest.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { Problem } from '../kernel/problem.ts'
import { type StoredName, storedNames } from '../schema/datasets.ts'
import { FORMAT_VERSION } from './format/file-format.ts'
import { fileDamaged, otherFormat, reasonOf } from './problems.ts'

export const MANIFEST_FILE = 'manifest.json'

const FileEntry = Type.Object({
  /** Relative to the snapshot's folder, with forward slashes. */
  path: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  rows: Type.Integer({ minimum: 0 }),
  elements: Type.Integer({ minimum: 0 }),
})

const ClientEntry = Type.Object({
  clientNumber: Type.String(),
  name: Type.String(),
  bookings: FileEntry,
  invoices: FileEntry,
  'bookings-v1': FileEntry,
  'invoices-v1': FileEntry,
})

/** A fact about a refresh that did not stop it, but that an operator should check. */
const RefreshWarning = Type.Object({
  kind: Type.String(),
  message: Type.String(),
  /** How many clients it concerns, if any. */
  clients: Type.Optional(Type.Integer({ minimum: 0 })),
})

const Manifest = Type.Object({
  format: Type.Literal(FORMAT_VERSION),
  id: Type.String(),
  extractedAt: Type.String({ format: 'date-time' }),
  publishedAt: Type.String({ format: 'date-time' }),
  rejects: Type.Integer({ minimum: 0 }),
  clients: Type.Array(ClientEntry),
  /** Rows of the extract by table, without rejected rows. Earlier versions did not write it. */
  tables: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
  /** The warnings of the refresh that made the snapshot. */
  warnings: Type.Optional(Type.Array(RefreshWarning)),
})

export type FileEntry = Static<typeof FileEntry>
type ClientEntry = Static<typeof ClientEntry>

/** The files of one client. */
export type ClientFiles = Pick<ClientEntry, StoredName>

export const filesOf = (files: ClientFiles): readonly FileEntry[] =>
  storedNames.map((stored) => files[stored])
export type Manifest = Static<typeof Manifest>
export type RefreshWarning = Readonly<Static<typeof RefreshWarning>>

export type SnapshotCounts = {
  readonly bookings: number
  readonly invoices: number
  readonly segments: number
  readonly lineItems: number
}

export function countsOf({ clients }: CountedManifest): SnapshotCounts {
  const sum = (stored: 'bookings' | 'invoices', count: 'rows' | 'elements') =>
    clients.reduce((total, client) => total + client[stored][count], 0)
  return {
    bookings: sum('bookings', 'rows'),
    invoices: sum('invoices', 'rows'),
    segments: sum('bookings', 'elements'),
    lineItems: sum('invoices', 'elements'),
  }
}

/** The text of the manifest file: one line with the checksum of everything after it, then the JSON. */
export function serializeManifest(manifest: Manifest): string {
  const json = `${JSON.stringify(manifest, null, 1)}\n`
  return `${checksum(json)}\n${json}`
}

/** The result of examining a snapshot's folder. The problem says what is wrong and what to do about it. */
export type Examined =
  | { readonly state: 'intact'; readonly manifest: Manifest; readonly problem: null }
  /** Written by another version of Tripfolio, but not damaged. */
  | { readonly state: 'other-format'; readonly manifest: null; readonly problem: Problem }
  | { readonly state: 'damaged'; readonly manifest: null; readonly problem: Problem }

export async function examineManifest(snapshotFolder: string): Promise<Examined> {
  const manifest = await readIntactJson(snapshotFolder).catch(asProblem)
  if (manifest instanceof Problem) return damaged(manifest)
  if (Value.Check(Manifest, manifest)) return { state: 'intact', manifest, problem: null }
  if (Value.Check(AnyFormat, manifest) && manifest.format !== FORMAT_VERSION) {
    const problem = otherFormat(basename(snapshotFolder), manifest.format, FORMAT_VERSION)
    return { state: 'other-format', manifest: null, problem }
  }
  return damaged(fileDamaged(join(snapshotFolder, MANIFEST_FILE), 'it is not a manifest'))
}

export const damaged = (problem: Problem): Examined => ({ state: 'damaged', manifest: null, problem })

/** @throws Problem SNP301 when the file is missing or altered, SNP304 when it has another format */
export async function readManifest(snapshotFolder: string): Promise<Manifest> {
  const { manifest, problem } = await examineManifest(snapshotFolder)
  if (problem !== null) throw problem
  return manifest
}

/** The counts in a manifest of any format. Null when there is no intact manifest. */
export async function readCountedManifest(snapshotFolder: string): Promise<CountedManifest | null> {
  const manifest = await readIntactJson(snapshotFolder).catch(() => null)
  return Value.Check(CountedManifest, manifest) ? manifest : null
}

/** What every format has, including future ones. */
const AnyFormat = Type.Object({ format: Type.Integer() })

const Counted = Type.Pick(FileEntry, ['rows', 'elements'])

/** What every format has had so far: enough to read the counts. */
const CountedManifest = Type.Object({
  clients: Type.Array(Type.Object({ clientNumber: Type.String(), bookings: Counted, invoices: Counted })),
  tables: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
})
export type CountedManifest = Static<typeof CountedManifest>

async function readIntactJson(snapshotFolder: string): Promise<unknown> {
  const path = join(snapshotFolder, MANIFEST_FILE)
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw fileDamaged(path, reasonOf(cause), cause)
  })
  const json = text.slice(text.indexOf('\n') + 1)
  if (text.slice(0, text.indexOf('\n')) !== checksum(json))
    throw fileDamaged(path, 'its checksum does not match')
  return JSON.parse(json)
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex')
