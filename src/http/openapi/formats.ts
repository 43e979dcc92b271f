/**
 * The formats of version 2 besides JSON in the OpenAPI document: the parameter that selects one, their media types and headers,
 * and the refusal of any other. These schemas are documentation only.
 */
import Type from '../../kernel/type.ts'
import type { ListName } from '../../schema/datasets.ts'
import { type RecordFormat, recordFormats } from '../../schema/record-formats.ts'
import { mediaTypes } from '../lists/record-formats.ts'
import { errorAnswerOf, header } from './answers.ts'
import { reference } from './document.ts'

export const formatParameter = Type.String({
  enum: [...recordFormats],
  default: 'json',
  description:
    'Format of the answer, in any letter case. Without it `Accept` decides; the default is JSON. `ndjson`: one JSON record per ' +
    'line. `csv`: a header line and a line per record, with a column per custom label, nested collections as JSON text, and an ' +
    'apostrophe before texts that a spreadsheet would take for a formula. `arrow`: an Arrow IPC stream.',
})

const descriptions: { readonly [Format in Exclude<RecordFormat, 'json'>]: string } = {
  ndjson: 'the records of the JSON answer, one per line',
  csv: 'RFC 4180, in UTF-8 with a byte order mark; null is an empty cell, the empty text is `""`',
  arrow:
    'an Arrow IPC stream: plain texts, dates, timestamps without a zone, exact decimals, lists of structs',
}

/**
 * In words: as further media types of the answer they would make every generated client return a text or an envelope, also to
 * callers of JSON.
 */
export const otherFormats = `The other formats have no envelope; \`X-Total-Count\` has the total.

${Object.entries(descriptions)
  .map(
    ([format, description]) =>
      `- \`${format}\`, \`${mediaTypes[format as RecordFormat].names[0]}\`: ${description}`,
  )
  .join('\n')}`

export const listAnswerHeaders = (list: ListName) => ({
  Link: header(
    'Only on pages: references to the `next`, `prev`, `first` and `last` page (RFC 8288), relative to the address of the ' +
      'request, such as `<?$page=3&$pageSize=50>; rel="next"`. The last page has no `next`. A very long query, and one with `$top` or `$skip`, has only `next`',
  ),
  'X-Total-Count': header(
    'Number of records after filtering and before paging, in every format except JSON, which has `_meta`',
  ),
  'Content-Disposition': header(
    `Proposed file name, for csv and arrow only, such as \`attachment; filename="${list}-C01234-20260102T030405678Z-1f3a.csv"\``,
  ),
})

export const formatRefused = errorAnswerOf(
  '`Accept` excludes every available format, or `$format` names none. For `$format` the body is a QueryError',
  { anyOf: [reference('QueryError'), reference('Error')] },
  {
    accept: {
      summary: 'Accept: application/json;q=0',
      value: {
        error:
          'None of the media types in Accept is available; use application/json, application/x-ndjson, text/csv or ' +
          'application/vnd.apache.arrow.stream, or the parameter $format with json, ndjson, csv or arrow',
      },
    },
    parameter: {
      summary: '$format=xml',
      value: {
        error: 'Invalid $format',
        message: "Expected json, ndjson, csv or arrow, found 'xml'",
        parameter: '$format',
        column: 0,
        input: 'xml',
      },
    },
  },
)
