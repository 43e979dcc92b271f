/**
 * Reads and writes CSV (RFC 4180) whose values come back as they were. A text that a spreadsheet would take for a formula is
 * written with an apostrophe, which reading takes off again. Reading keeps one record in memory, however long the file is.
 */
import { isFormula, quoted } from '../../kernel/csv.ts'

export type CsvRecord = { readonly line: number; readonly cells: readonly string[] }

/** Why a file is no CSV, and in which line. */
export class CsvFault {
  readonly line: number
  readonly reason: string

  constructor(line: number, reason: string) {
    this.line = line
    this.reason = reason
  }
}

/** More than any directory has, and few enough that one line cannot take the memory of the process. */
const MOST_CELLS = 10_000
const LONGEST_CELL = 2 ** 22

/** Blank lines are left out. @throws CsvFault */
export async function* readCsv(text: Iterable<string> | AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let line = 1
  let begun = 1
  let cells: string[] = []
  let cell = ''
  let state: 'start' | 'plain' | 'quoted' | 'after-quote' = 'start'
  let isFirst = true
  const endCell = () => {
    if (cells.length === MOST_CELLS) throw new CsvFault(begun, `has more than ${MOST_CELLS} values`)
    cells.push(withoutApostrophe(cell))
    cell = ''
    state = 'start'
  }
  const addToCell = (char: string) => {
    if (cell.length === LONGEST_CELL)
      throw new CsvFault(
        begun,
        `has a value of more than ${LONGEST_CELL} characters${state === 'quoted' || state === 'after-quote' ? ': is its quote never closed?' : ''}`,
      )
    cell += char
  }
  const isBlank = () => cells.length === 0 && state === 'start'
  for await (const chunk of text) {
    let at = isFirst && chunk.startsWith('\uFEFF') ? 1 : 0
    if (chunk.length > 0) isFirst = false
    for (; at < chunk.length; at++) {
      const char = chunk[at] as string
      if (state === 'quoted') {
        if (char === '"') state = 'after-quote'
        else {
          if (char === '\n') line++
          addToCell(char)
        }
      } else if (state === 'after-quote' && char === '"') {
        addToCell(char)
        state = 'quoted'
      } else if (char === ',') {
        endCell()
      } else if (char === '\n') {
        if (!isBlank()) {
          endCell()
          yield { line: begun, cells }
        }
        cells = []
        begun = ++line
      } else if (char === '\r') {
        // The line feed that follows ends the line.
      } else if (char === '"' && state === 'start') {
        state = 'quoted'
      } else if (state === 'after-quote') {
        throw new CsvFault(line, 'there is text after a closing quote')
      } else {
        addToCell(char)
        state = 'plain'
      }
    }
  }
  if (state === 'quoted') throw new CsvFault(begun, 'a quote is never closed')
  if (isBlank()) return
  endCell()
  yield { line: begun, cells }
}

export const directoryLine = (cells: readonly string[]): string => `${cells.map(reversibleCell).join(',')}\n`

function reversibleCell(text: string): string {
  const marked = isFormula(behindApostrophes(text)) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(marked) ? quoted(marked) : marked
}

const withoutApostrophe = (text: string): string =>
  text.startsWith("'") && isFormula(behindApostrophes(text)) ? text.slice(1) : text

const behindApostrophes = (text: string): string => text.replace(/^'+/, '')

/** Several values in one cell: `|` between them, `\|` and `\\` for these characters. */
export const listCell = (values: readonly string[]): string =>
  values.map((value) => value.replaceAll(/[\\|]/g, '\\$&')).join('|')

export function listIn(cell: string): readonly string[] {
  if (cell.trim() === '') return []
  const values = ['']
  const add = (text: string) => values.push(`${values.pop()}${text}`)
  for (let at = 0; at < cell.length; at++) {
    const char = cell[at] as string
    if (char === '|') values.push('')
    else if (char === '\\' && at + 1 < cell.length) add(cell[++at] as string)
    else add(char)
  }
  return values.map((value) => value.trim())
}
