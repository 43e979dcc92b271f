/** Which dialect of CSV the files of a table have, as a mapping states it with `SET VARIABLE escape` and `quote`. */
import { dialectUnknown } from '../mapping/problems.ts'
import { type CsvDialect, plainDialect } from './csv-dialect.ts'

/** Stated dialects by table; the empty name stands for all other tables. */
export type StatedDialects = ReadonlyMap<string, CsvDialect>

export const noDialects: StatedDialects = new Map()

const escapes: Readonly<Record<string, CsvDialect['escapes']>> = {
  '\\': 'everywhere',
  '\\"': 'in quotes',
  '"': 'nowhere',
}
const quotes: Readonly<Record<string, boolean>> = { '"': true, '': false }

/** @throws Problem ING140 when a variable names no table, or its value is none of these */
export function statedDialects(
  variables: readonly (readonly [variable: string, value: string])[],
  tables: readonly string[],
): StatedDialects {
  const stated = new Map<string, Partial<CsvDialect>>()
  for (const [variable, value] of variables) {
    const [, what = '', table = ''] = /^(escape|quote)_?(.*)$/.exec(variable.toLowerCase()) ?? []
    if (table !== '' && !tables.includes(table))
      throw dialectUnknown(variable, `there is no table '${table}'`)
    const found = what === 'escape' ? { escapes: escapes[value] } : { quotes: quotes[value] }
    if (Object.values(found)[0] === undefined)
      throw dialectUnknown(variable, `'${value}' is not one of its values`)
    stated.set(table, { ...stated.get(table), ...(found as Partial<CsvDialect>) })
  }
  const forAll = stated.get('')
  return new Map([...stated].map(([table, own]) => [table, { ...plainDialect, ...forAll, ...own }]))
}

/** Undefined where nothing is stated. */
export const dialectOf = (stated: StatedDialects, table: string): CsvDialect | undefined =>
  stated.get(table) ?? stated.get('')
