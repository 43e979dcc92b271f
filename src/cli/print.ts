/** How commands print what they found: a table for people, JSON for programs. */

type Row = Readonly<Record<string, unknown>>

export function printResult(
  rows: readonly Row[],
  { json, empty }: { readonly json: boolean | undefined; readonly empty: string },
): void {
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
  else process.stdout.write(rows.length === 0 ? `${empty}\n` : table(rows))
}

/** Columns as wide as their widest cell, numbers to the right. Columns are the members of all rows. */
function table(rows: readonly Row[]): string {
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

function cell(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join('; ')
  return String(value)
}
