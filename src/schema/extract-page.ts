/** Writes docs/reference/extract-tables.md: every table and column of an extract, from the definitions in `extract-tables.ts`. */
import { type ExtractColumn, type ExtractTable, extractTables } from './extract-tables.ts'
import type { FieldType } from './field.ts'

export function extractPage(): string {
  return [
    '# Extract tables',
    '<!-- Generated from src/schema/extract-tables.ts. -->',
    'The letter case of column names does not matter; other columns are ignored. A column marked *optional* may be missing; the values of a column marked *nullable* may be empty. The columns that identify a row are unique within its client. How values may be written: `docs/how-to/extract.md`.',
    ...Object.values(extractTables).map(tableSection),
    '',
  ].join('\n\n')
}

function tableSection({ name, columns, identity, required }: ExtractTable): string {
  const key =
    identity.length === 0 ? 'Rows need not be unique.' : `A row is identified by ${listed(identity)}.`
  const presence = required ? '' : ' The table may be left out.'
  const rows = columns.map((column) => `| ${column.column} | ${typeOf(column)} | ${presenceOf(column)} |`)
  return [`## ${name}\n`, `${key}${presence}\n`, '| column | type | |', '|---|---|---|', ...rows].join('\n')
}

const typeNames: { readonly [T in FieldType]: string } = {
  text: 'text',
  date: 'date, `YYYY-MM-DD`',
  minute: 'local time, `YYYY-MM-DDTHH:MM`',
  boolean: '`true` or `false`',
  integer: 'integer',
  decimal: 'number, up to 5 decimal places',
}

function typeOf({ type, maxLength, masked, namesClient }: ExtractColumn): string {
  if (namesClient)
    return `${typeNames[type]}, up to ${maxLength} characters, without control characters, not only blanks`
  if (masked === 'number') return `${typeNames[type]}; all but its last four digits are masked`
  if (masked === 'text') return `${typeNames[type]}; card numbers in it are masked`
  return maxLength === undefined ? typeNames[type] : `${typeNames[type]}, up to ${maxLength} characters`
}

function presenceOf({ nullable, required }: ExtractColumn): string {
  if (!required) return 'optional'
  return nullable ? 'nullable' : ''
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')
