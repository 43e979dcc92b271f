/**
 * The media types of the formats of version 2, and the choice of a format by an `Accept` header (RFC 9110, section 12.5.1):
 * the most specific range that matches a format gives its weight. The highest weight wins; of equal ones the first in our
 * order. A missing, empty or malformed header means JSON.
 */
import { type RecordFormat, recordFormats } from '../../schema/record-formats.ts'
import { qualityValues, rememberingTexts } from '../sending/quality-values.ts'

type MediaType = {
  /** The Content-Type of an answer. */
  readonly contentType: string
  /** Names that callers may use; the first is the official one. */
  readonly names: readonly [string, ...string[]]
  /** Extension of the proposed file name; null for formats that programs read directly. */
  readonly extension: string | null
}

export const mediaTypes: { readonly [Format in RecordFormat]: MediaType } = {
  json: { contentType: 'application/json; charset=utf-8', names: ['application/json'], extension: null },
  ndjson: {
    contentType: 'application/x-ndjson',
    names: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
    extension: null,
  },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', names: ['text/csv'], extension: 'csv' },
  arrow: {
    contentType: 'application/vnd.apache.arrow.stream',
    names: ['application/vnd.apache.arrow.stream'],
    extension: 'arrows',
  },
}

/** Null when none of the formats is acceptable. */
export function acceptedFormat(accept: string | undefined): RecordFormat | null {
  if (accept === undefined || accept === '*/*') return 'json'
  return read(accept).format
}

const RANGE = /^(?:\*\/\*|[^*/]+\/(?:\*|[^*/]+))$/

const read = rememberingTexts((accept): { readonly format: RecordFormat | null } => {
  const ranges = qualityValues(accept)
  if (ranges === null || ranges.length === 0 || !ranges.every(({ value }) => RANGE.test(value))) {
    return { format: 'json' }
  }
  const weightOf = (wanted: readonly string[]) =>
    ranges.filter(({ value }) => wanted.includes(value)).map(({ weight }) => weight)
  let best: RecordFormat | null = null
  let most = 0
  for (const format of recordFormats) {
    const { names } = mediaTypes[format]
    const matching = [names, names.map((name) => name.replace(/[^/]+$/, '*')), ['*/*']].map(weightOf)
    const weight = Math.max(0, ...(matching.find((weights) => weights.length > 0) ?? []))
    if (weight > most) {
      best = format
      most = weight
    }
  }
  return { format: best }
})
