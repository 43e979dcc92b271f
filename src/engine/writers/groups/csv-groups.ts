/** Writes groups as CSV: like records, with a byte order mark and a header line. */
import { csvCell, csvLine } from '../../../kernel/csv.ts'
import type { GroupColumn, GroupSet } from '../../group-set.ts'
import { ByteWriter } from '../byte-writer.ts'
import { appendLine, cellsOf, type WriteCell } from '../csv-cells.ts'
import { DayTexts } from '../day-texts.ts'
import { columnOf } from '../row-columns.ts'
import { formatLongDecimal } from './long-decimal.ts'

const BYTE_ORDER_MARK = '\ufeff'

export function* csvLines({ columns, count }: GroupSet): Generator<string> {
  yield BYTE_ORDER_MARK + csvLine(columns.map(({ name }) => csvCell(name)))
  const days = new DayTexts()
  const cells = columns.map((column) => cellsFor(column, count, days))
  const line = new ByteWriter(Buffer.alloc(1024))
  for (let group = 0; group < count; group++) {
    line.length = 0
    appendLine(cells, group, line)
    yield Buffer.from(line.written()).toString()
  }
}

function cellsFor({ type, values }: GroupColumn, count: number, days: DayTexts): WriteCell {
  switch (type) {
    case 'long':
    case 'long-decimal':
      return (group, to) => {
        const value = values[group] ?? null
        if (value === null) return
        to.text(type === 'long' ? String(value) : formatLongDecimal(value as number | bigint))
      }
    case 'text':
    case 'date':
    case 'minute':
    case 'boolean':
    case 'integer':
    case 'decimal':
      return cellsOf(columnOf(type, values.map(fieldValue)), count, days)
  }
}

/** Only sums may be bigints. */
const fieldValue = (value: GroupColumn['values'][number]) => (typeof value === 'bigint' ? null : value)
