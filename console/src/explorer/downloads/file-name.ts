/** Names of downloaded files: whose records, which, of which data. */
import type { ListName } from '../fields/list-fields.ts'

export const fileFormats = ['csv', 'ndjson', 'arrow', 'json'] as const
export type FileFormat = (typeof fileFormats)[number]

/** As other programs name them. */
const extensions: Readonly<Record<FileFormat, string>> = {
  csv: 'csv',
  ndjson: 'ndjson',
  arrow: 'arrows',
  json: 'json',
}

/** @param snapshotId of the answer; null when the server does not say */
export function fileName(
  clientNumber: string,
  list: ListName,
  snapshotId: string | null,
  format: FileFormat,
): string {
  const parts = [clientNumber, list, ...(snapshotId === null ? [] : [snapshotId])]
  return `${parts.map((part) => part.replaceAll(/[^\w.-]+/g, '_')).join('-')}.${extensions[format]}`
}
