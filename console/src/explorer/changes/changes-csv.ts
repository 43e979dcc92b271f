/** What changed as CSV: the kind of the change, and what names the record. */
import { csvCell, csvLine } from '../../../../src/kernel/csv.ts'
import type { Change } from './count-kinds.ts'

/** @param identity the members that name a record, which are columns of their own */
export const changesCsv = (changes: readonly Change[], identity: readonly string[]): string =>
  [
    ['change', ...identity],
    ...changes.map((change) => [change._change, ...identity.map((name) => String(change[name] ?? ''))]),
  ]
    .map((cells) => csvLine(cells.map(csvCell)))
    .join('')
