/**
 * The table of contents of a snapshot: the files of every client with their sizes and checksums. It is written last and has
 * its own checksum. A folder is a snapshot when it holds an intact manifest.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '../kernel/problem.ts'
import { type StoredName, storedNames } from '../schema/datasets.ts'
import { FORMAT_VERSION } from './format/file-format.ts'
import {
  type ClientEntry,
  type CountedManifest,
  type FileEntry,
  hasFormat,
  isCountedManifest,
  isManifest,
  type Manifest,
  type ServedClient,
} from './manifest-shape.ts'
import { fileDamaged, otherFormat, reasonOf } from './problems.ts'

export type { CountedManifest, FileEntry, Manifest, RefreshWarning } from './manifest-shape.ts'

export const MANIFEST_FILE = 'manifest.json'

/** The files of one client. */
export type ClientFiles = Pick<ClientEntry, StoredName>

export const filesOf = (files: ClientFiles): readonly FileEntry[] =>
  storedNames.map((stored) => files[stored])

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

/** The clients by their numbers. */
export const countedClients = ({ clients }: Pick<Manifest, 'clients'>): readonly ServedClient[] =>
  clients
    .map(({ clientNumber, name, bookings, invoices }) => ({
      clientNumber,
      name,
      bookings: bookings.rows,
      invoices: invoices.rows,
    }))
    .sort((a, b) => (a.clientNumber < b.clientNumber ? -1 : 1))

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
  if (isManifest(manifest)) return { state: 'intact', manifest, problem: null }
  if (hasFormat(manifest) && manifest.format !== FORMAT_VERSION) {
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
  return isCountedManifest(manifest) ? manifest : null
}

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
