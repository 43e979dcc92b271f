/**
 * The parts of a collection file besides its fields. The file is an Arrow IPC file with one record batch, which any Arrow
 * library can read. Fields and collections, the additional ones included, are columns with their JSON names.
 */
import { type StoredName, storedNames } from '../../schema/datasets.ts'

/** Raised whenever a release cannot read the files of the release before it, or the other way round. */
export const FORMAT_VERSION = 4

/** The finished JSON of every record (of the itinerary, for bookings). */
export const JSON_COLUMN = 'json'

/** How many bytes of a booking's JSON are the booking without its segments and closing brace. */
export const BOOKING_LENGTH_COLUMN = 'bookingLength'

/**
 * Where the nested collection begins and ends in a record's JSON, brackets included, in bytes from the record's first one.
 * Only collections that queries can reach into have these columns.
 */
export const NESTED_BEGIN_COLUMN = 'nestedBegin'
export const NESTED_END_COLUMN = 'nestedEnd'

export const customColumnName = (label: string): string => `customDataFields.${label}`

export type FileIdentity = {
  readonly format: number
  readonly stored: StoredName
  readonly clientNumber: string
  readonly labels: readonly string[]
}

/**
 * The client number is plain text under the first name, or JSON under the second one when it begins with a byte order mark: the
 * decoder of Arrow drops a mark at the beginning of any text. Other numbers stay plain, so that the files of earlier releases
 * keep their checksums. Column names and the list of labels never begin with text of a client.
 */
const CLIENT = 'tripfolio.client'
const CLIENT_AS_JSON = 'tripfolio.client.json'

export function fileMetadata({
  stored,
  clientNumber,
  labels,
}: Omit<FileIdentity, 'format'>): Map<string, string> {
  return new Map([
    ['tripfolio.format', String(FORMAT_VERSION)],
    ['tripfolio.collection', stored],
    clientNumber.startsWith('\ufeff')
      ? [CLIENT_AS_JSON, JSON.stringify(clientNumber)]
      : [CLIENT, clientNumber],
    ['tripfolio.labels', JSON.stringify(labels)],
  ])
}

/** The identity that a file claims, in any format version; undefined when it is not a collection file. */
export function readFileMetadata(metadata: ReadonlyMap<string, string>): FileIdentity | undefined {
  const stored = storedNames.find((name) => name === metadata.get('tripfolio.collection'))
  const json = metadata.get(CLIENT_AS_JSON)
  const clientNumber = json === undefined ? metadata.get(CLIENT) : (JSON.parse(json) as string)
  const labels = metadata.get('tripfolio.labels')
  const format = Number(metadata.get('tripfolio.format'))
  if (!Number.isInteger(format)) return undefined
  if (stored === undefined || clientNumber === undefined || labels === undefined) return undefined
  return { format, stored, clientNumber, labels: JSON.parse(labels) as string[] }
}
