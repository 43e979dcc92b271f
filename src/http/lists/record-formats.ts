/**
 * The media types of the formats of version 2, and the choice of a format by an `Accept` header (RFC 9110, section 12.5.1):
 *
 * 1. A format that the header names, or JSON by a range that includes it, has the weight of the most specific range. The highest
 *    weight wins; of equal ones the first in our order.
 * 2. A range alone (`text/*`, `*\/*`) chooses a format other than JSON only if the header excludes JSON, with `q=0`.
 * 3. If nothing was chosen, it is JSON: the specification has no refusal of a list for its header (7.1), and the same section of the
 *    RFC lets a server disregard the header. Only a header that excludes JSON and offers nothing else is refused.
 *
 * A missing, empty or malformed header means JSON.
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

/** Null when JSON is excluded and no other format is acceptable. */
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
  const weightFor = (format: RecordFormat) => {
    const { names } = mediaTypes[format]
    const matching = [names, names.map((name) => name.replace(/[^/]+$/, '*')), ['*/*']].map((wanted) =>
      ranges.filter(({ value }) => wanted.includes(value)).map(({ weight }) => weight),
    )
    const decisive = matching.find((weights) => weights.length > 0)
    return decisive && { weight: Math.max(...decisive), isNamed: decisive === matching[0] }
  }
  const isJsonExcluded = weightFor('json')?.weight === 0
  let best: RecordFormat | null = null
  let most = 0
  for (const format of recordFormats) {
    const found = weightFor(format)
    if (found === undefined || found.weight <= most) continue
    if (format !== 'json' && !found.isNamed && !isJsonExcluded) continue
    best = format
    most = found.weight
  }
  return { format: best ?? (isJsonExcluded ? null : 'json') }
})
