import { printable } from '../script/problems.ts'

export type Row = Readonly<Record<string, unknown>>

/** Prints rows as a table with a column for every member name of any row. Numbers are aligned to the right. */
export function tableText(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => names.map((name) => cell(row[name])))
  const widths = names.map((name, i) =>
    Math.max(name.length, ...cells.map((row) => (row[i] as string).length)),
  )
  const right = names.map((name) =>
    rows.every((row) => row[name] === undefined || typeof row[name] === 'number'),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => (right[i] ? text.padStart(widths[i] as number) : text.padEnd(widths[i] as number)))
      .join('  ')
      .trimEnd()
  return [line(names), ...cells.map(line)].map((text) => `${text}\n`).join('')
}

/** Names come from others, and a terminal would act on their control characters. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : printable(value.join('; '))
  return printable(String(value))
}
