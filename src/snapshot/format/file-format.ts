/**
 * What a collection file is made of besides its fields: an Arrow IPC file of one record batch, readable by any Arrow
 * library. Fields and collections are columns under their JSON names.
 */
import { type StoredName, storedNames } from '../../schema/datasets.ts'

/** Raised whenever a reader of the previous version could misread a file. */
export const FORMAT_VERSION = 2

/** The finished JSON of every record (of the itinerary, for bookings). */
export const JSON_COLUMN = 'json'

/** How many bytes of a booking's JSON are the booking without its segments and closing brace. */
export const BOOKING_LENGTH_COLUMN = 'bookingLength'

export const customColumnName = (label: string): string => `customDataFields.${label}`

export type FileIdentity = {
  readonly stored: StoredName
  readonly clientNumber: string
  readonly labels: readonly string[]
}

export function fileMetadata({ stored, clientNumber, labels }: FileIdentity): Map<string, string> {
  return new Map([
    ['tripfolio.format', String(FORMAT_VERSION)],
    ['tripfolio.collection', stored],
    ['tripfolio.client', clientNumber],
    ['tripfolio.labels', JSON.stringify(labels)],
  ])
}

/** The identity a file claims, or undefined when it is none of ours or of another format version. */
export function readFileMetadata(metadata: ReadonlyMap<string, string>): FileIdentity | undefined {
  const stored = storedNames.find((name) => name === metadata.get('tripfolio.collection'))
  const clientNumber = metadata.get('tripfolio.client')
  const labels = metadata.get('tripfolio.labels')
  if (metadata.get('tripfolio.format') !== String(FORMAT_VERSION)) return undefined
  if (stored === undefined || clientNumber === undefined || labels === undefined) return undefined
  return { stored, clientNumber, labels: JSON.parse(labels) as string[] }
}
