/**
 * Tells from the name of a file how it is written: `bookings.csv.gz` is CSV, compressed with gzip. Names are compared without
 * regard to letter case. No I/O; parquet files have their own compression inside.
 */

/** The file in the folder of an extract that adapts another layout. */
export const MAPPING_FILE = 'tripfolio.sql'

export type Format = 'csv' | 'json lines' | 'json' | 'parquet'
export type Compression = 'gzip' | 'zstd'

export type FileForm = {
  /** The name without its extensions. */
  readonly stem: string
  /** In lower case, compression included. */
  readonly extension: string
  readonly format: Format
  readonly compression: Compression | undefined
}

const formats: { readonly [extension: string]: Format } = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'json lines',
  '.jsonl': 'json lines',
  '.json': 'json',
  '.parquet': 'parquet',
}

const compressions: { readonly [extension: string]: Compression } = { '.gz': 'gzip', '.zst': 'zstd' }

/** How a file is compressed as a whole, whatever is in it. */
export const compressionOf = (name: string): Compression | undefined => compressions[splitExtension(name)[1]]

/** Undefined for a file that is not read as a table. */
export function formOf(name: string): FileForm | undefined {
  const [packed, outer] = splitExtension(name)
  const compression = compressions[outer]
  const [stem, extension] = compression === undefined ? [packed, outer] : splitExtension(packed)
  const format = formats[extension]
  if (format === undefined || (format === 'parquet' && compression !== undefined)) return undefined
  return {
    stem,
    extension: name.slice(stem.length).toLowerCase(),
    format,
    compression,
  }
}

function splitExtension(name: string): readonly [stem: string, extension: string] {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot).toLowerCase()]
}
