/** The host function that writes records as CSV (RFC 4180). Other runs get their turn while a long text is written. */
import { csvLine, harmless, LINE_END, quoted } from '../../../kernel/csv.ts'
import {
  any,
  define,
  kindOf,
  type NativeContext,
  type NativeFunction,
  numberToText,
  optional,
  ScriptArray,
  ScriptObject,
  type Value,
  writeJson,
} from '../../../script/values.ts'
import { refusedArgument } from '../failures.ts'
import { nextSlice } from '../host-answers.ts'
import { optionsOf, wrongArgument } from '../host-arguments.ts'

const NAME = 'ToCsv'

const toCsv = define({
  name: NAME,
  category: 'Texts',
  parameters: [any('records'), any('columns'), optional(any('options'))],
  returns: 'string',
  about:
    'Writes an array of objects as CSV (RFC 4180): a header, a line for each object, CRLF after each. A column is the name of a member or {name, title}; the name may be a path such as customDataFields.Department. Numbers stay as they are, null is an empty cell ("" where it is the only one of its line), the empty text is "", and arrays and objects are JSON. The option spreadsheet: true puts an apostrophe before texts that a spreadsheet would run as a formula; without it, texts are not changed. delimiter is one of , ; | and tab; header: false leaves the header out.',
  async waits(context, records, columns, options) {
    if (!(records instanceof ScriptArray)) throw wrongArgument(NAME, 'an array of objects', records)
    const { delimiter, header, spreadsheet } = csvOptions(options)
    const cells = { delimiter, spreadsheet, context }
    const written = columnsOf(columns, context)
    const text = new CsvText(context)
    if (header) text.add(delimiter, written, ({ title }) => textCell(title, cells))
    let until = performance.now() + SLICE_MS
    for (const [place, record] of records.items.entries()) {
      if (!(record instanceof ScriptObject)) throw notARecord(place, record)
      text.add(delimiter, written, ({ name }) => cellOf(memberOf(record, name), cells))
      if (place % LINES_PER_LOOK === 0 && performance.now() > until) until = await nextSlice(context)
    }
    return text.end()
  },
})

export const csvFunctions: readonly NativeFunction[] = [toCsv]

const SLICE_MS = 1
const LINES_PER_LOOK = 16

type Column = { readonly name: string; readonly title: string }

/** Memory of a column, and of its cell while a line is written. */
const COLUMN_BYTES = 80

function columnsOf(columns: Value, { allocate }: NativeContext): readonly Column[] {
  if (!(columns instanceof ScriptArray) || columns.items.length === 0)
    throw wrongArgument(NAME, 'an array of at least one column', columns)
  allocate(COLUMN_BYTES * columns.items.length)
  return columns.items.map((column) => {
    if (typeof column === 'string') return { name: column, title: column }
    const [name, title] = column instanceof ScriptObject ? [column.read('name'), column.read('title')] : []
    if (typeof name !== 'string' || (title != null && typeof title !== 'string'))
      throw wrongArgument(NAME, 'columns that are texts or {name, title}', column)
    return { name, title: title ?? name }
  })
}

type CsvOptions = { readonly delimiter: string; readonly header: boolean; readonly spreadsheet: boolean }

function csvOptions(options: Value | undefined): CsvOptions {
  const given = optionsOf(NAME, options)
  for (const key of given.keys()) {
    if (!KNOWN.has(key))
      throw refusedArgument(
        `${NAME} has the options spreadsheet, delimiter and header, but not '${key.slice(0, 40)}'`,
      )
  }
  const { delimiter = ',', header = true, spreadsheet = false } = Object.fromEntries(given)
  if (typeof delimiter !== 'string' || !DELIMITERS.has(delimiter))
    throw wrongArgument(NAME, 'one of , ; | and tab as delimiter', delimiter)
  if (typeof header !== 'boolean') throw wrongArgument(NAME, 'true or false as header', header)
  if (typeof spreadsheet !== 'boolean') throw wrongArgument(NAME, 'true or false as spreadsheet', spreadsheet)
  return { delimiter, header, spreadsheet }
}

const KNOWN = new Set(['delimiter', 'header', 'spreadsheet'])
const DELIMITERS = new Set([',', ';', '|', '\t'])

/** The member of exactly that name comes before a path: names of labels may have dots. */
function memberOf(record: ScriptObject, name: string): Value {
  if (!name.includes('.') || record.has(name)) return record.read(name)
  let value: Value = record
  for (const step of name.split('.')) value = value instanceof ScriptObject ? value.read(step) : null
  return value
}

type Cells = Pick<CsvOptions, 'delimiter' | 'spreadsheet'> & { readonly context: NativeContext }

function cellOf(value: Value, cells: Cells): string {
  const { work } = cells.context
  work(1)
  if (value === null) return ''
  switch (typeof value) {
    case 'string':
      return textCell(value, cells)
    case 'number':
      return numberToText(value)
    case 'boolean':
      return String(value)
  }
  return textCell(writeJson(value, { work, escapes: 'plain' }), cells)
}

function textCell(text: string, { delimiter, spreadsheet, context }: Cells): string {
  context.work(text.length / 100)
  const shown = spreadsheet ? harmless(text) : text
  const isPlain = shown !== '' && !QUOTED.test(shown) && !shown.includes(delimiter)
  return isPlain ? shown : quoted(shown)
}

/** Blanks at the ends are quoted because some readers remove them. */
const QUOTED = /["\r\n]|^\s|\s$/

/** Counts the memory of the text while it grows. */
class CsvText {
  readonly #lines: string[] = []
  readonly #context: NativeContext

  constructor(context: NativeContext) {
    this.#context = context
  }

  add(delimiter: string, columns: readonly Column[], cellOf: (column: Column) => string): void {
    const { allocate } = this.#context
    let ofCells = 0
    const cells = columns.map((column) => {
      const cell = cellOf(column)
      const bytes = 2 * (cell.length + delimiter.length)
      ofCells += bytes
      allocate(bytes)
      return cell
    })
    // One text may be in many cells, so the line is counted before it is made.
    allocate(LINE_BYTES + ofCells + 2 * LINE_END.length)
    this.#lines.push(csvLine(cells, delimiter))
    allocate(-ofCells)
  }

  end(): string {
    return this.#context.newText(this.#lines.join(''))
  }
}

/** Memory of a line besides its characters, until the text is joined. */
const LINE_BYTES = 100

const notARecord = (place: number, found: Value) =>
  refusedArgument(`${NAME} expects objects; element ${place} is ${kindOf(found)}`)
