/**
 * Finds the values of a sample that break a rule of their column, with the SQL that a refresh uses, and the cast with which
 * they would fit. Quotes values as the list of rejects does: masked and cut.
 */
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import { maskCardNumber } from '../card-numbers.ts'
import { faultOf, shortened } from '../rules/field-rules.ts'
import { readTyped } from '../sources/typed-columns.ts'
import { list, literal, name, outgoing, outgoingTexts } from '../sql-text.ts'
import { FIELD_FAULT, stagedTable, stagePart } from '../staging.ts'
import type { OffsetTimes } from '../stored-values.ts'
import { storedValue } from '../stored-values.ts'
import { type IngestedTable, quoteMask } from '../tables.ts'
import { typedText } from '../types/database-types.ts'
import type { TypedPart } from '../types/lost-types.ts'
import { textTypesIn } from '../types/text-types.ts'
import type { WorkDatabase } from '../work-database.ts'
import { type Cast, castMacros, casts, nullTexts, type Style } from './casts.ts'
import type { ColumnMatch } from './names.ts'
import type { Sample } from './sample.ts'

export type ColumnFault = {
  readonly column: string
  /** The name in the file. */
  readonly name: string
  readonly rule: string
  readonly rows: number
  /** Up to three values. Empty when the fault is that there is none. */
  readonly examples: readonly string[]
  /** The cast with which they fit; null when none is known. */
  readonly cast: ProposedCast | null
}

export type ProposedCast = {
  readonly sql: string
  /**
   * The cast for a mapping, which keeps the texts that it cannot read. Several when the operator has to decide: the values can
   * be read in two ways, or the only cast loses a part of them.
   */
  readonly mapped: readonly string[]
  readonly decide: boolean
  /** What to check before it is used. */
  readonly notes: readonly string[]
}

export type FoundFaults = {
  readonly faults: readonly ColumnFault[]
  /** The rows that have at least one. */
  readonly faultyRows: number
}

type SampledTypes = Omit<TypedPart, 'file'>

/** The faults of a sample that was staged, and what its text columns hold. */
export type SampleFaults = FoundFaults & { readonly typed: SampledTypes }

type Columns = {
  readonly sample: Sample
  readonly database: WorkDatabase
  /** How columns that can be read in one way only are written; this adds to it. */
  readonly styles: Set<Style>
}

type StagedColumns = Omit<Columns, 'sample'> & {
  readonly sample: () => Promise<Sample | null>
  readonly offsetTimes: OffsetTimes | undefined
}

export async function findFaults(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  { sample, database, styles, offsetTimes }: Columns & { readonly offsetTimes?: OffsetTimes | undefined },
): Promise<SampleFaults> {
  const typed = await stageSample(table, matches, sample, database)
  const staged = { sample: async () => sample, database, styles, offsetTimes }
  return { ...(await stagedFaults(table, matches, staged)), typed }
}

/**
 * The faults of rows that are staged already.
 *
 * @param sample reads the same rows with SQL, which casts can be tried on; null when SQL cannot read them
 */
export async function stagedFaults(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  { sample: readSample, database, styles, offsetTimes }: StagedColumns,
): Promise<FoundFaults> {
  const { faulty, faultyRows } = await faultyValues(table, matches, database, offsetTimes)
  if (faulty.length === 0) return { faults: [], faultyRows }
  const sample = await readSample()
  const castOf = async ({ column, name: found }: ColumnMatch) =>
    sample === null || !sample.columns.some((each) => each.name === found)
      ? null
      : castFor(column, found as string, { sample, database, styles })
  const faults: ColumnFault[] = []
  // A column that can be read in one way only says how to read the others.
  for (const match of matches) {
    if (faulty.some(({ match: { column } }) => column === match.column)) await castOf(match)
  }
  for (const { match, rule, values, rows } of faulty) {
    const { column, name: found } = match
    const examples = [...values].slice(0, EXAMPLES)
    const cast = await castOf(match)
    faults.push({ column: column.column, name: found as string, rule, rows, examples, cast })
  }
  return { faults, faultyRows }
}

const EXAMPLES = 3

/** The macros that casts use, unless the mapping of the extract has its own. */
export async function defineCastMacros(database: WorkDatabase): Promise<void> {
  const unlessDefined = Object.values(castMacros).map((sql) =>
    sql.replace('CREATE OR REPLACE MACRO', 'CREATE MACRO IF NOT EXISTS'),
  )
  await database.run(unlessDefined.join('\n'))
}

/** From here on the rows are read as those of a refresh: as text, with empty text as null, and masked. */
async function stageSample(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  { relation, columns: sampled }: Sample,
  database: WorkDatabase,
): Promise<SampledTypes> {
  const columns = matches.map(
    ({ column, name: found }) =>
      `${found === null ? 'NULL::VARCHAR' : name(found)} AS ${name(column.column)}`,
  )
  const source = { table, path: '', file: table.name }
  const context = { database, onMalformed: nothing, onNote: nothing, signal: undefined }
  const part = await readTyped(source, `(SELECT ${list(columns)} FROM ${relation})`, context)
  const rows = await database.run(stagePart(table, part))
  // A cast names the column of the file.
  const texts = matches.flatMap(({ column, name: found }) => {
    const type = sampled.find((each) => each.name === found)?.type
    const isText = found !== null && type !== undefined && column.type === 'text'
    return isText ? [typedText(column, found, type)] : []
  })
  return { types: await textTypesIn(part.select, texts, database), first: 0, rows }
}

const nothing = (): void => undefined

type Faulty = {
  readonly match: ColumnMatch
  readonly rule: string
  /** As they are shown, in the order of the rows. */
  readonly values: Set<string>
  rows: number
}

async function faultyValues(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  database: WorkDatabase,
  offsetTimes: OffsetTimes | undefined,
): Promise<{ readonly faulty: readonly Faulty[]; readonly faultyRows: number }> {
  const masks = matches.map(({ column }) => quoteMask(table.name, column.column))
  const faulty = new Map<string, Faulty>()
  let faultyRows = 0
  const rows = await database.rows(
    `SELECT ${outgoingTexts('raw')} FROM ${stagedTable(table.name)} WHERE fault = '${FIELD_FAULT}' ORDER BY rowid`,
  )
  for (const [raw] of rows) {
    if (!Array.isArray(raw)) continue
    let isFaulty = false
    for (const [at, match] of matches.entries()) {
      const { column, name: found } = match
      const mask = masks[at] as (typeof masks)[number]
      const value = raw[at] === null || raw[at] === undefined ? null : String(raw[at])
      const fault = found === null ? undefined : faultOf(column, value, mask, offsetTimes)
      if (fault === undefined) continue
      isFaulty = true
      const key = `${column.column} ${fault.rule}`
      const known = faulty.get(key) ?? { match, rule: fault.rule, values: new Set(), rows: 0 }
      faulty.set(key, known)
      known.rows++
      if (value !== null && known.values.size < EXAMPLES) known.values.add(shown(value, column, mask))
    }
    if (isFaulty) faultyRows++
  }
  return { faulty: [...faulty.values()], faultyRows }
}

const shown = (value: string, { masked }: ExtractColumn, mask: (text: string) => string): string =>
  shortened(mask(masked === 'number' ? maskCardNumber(value) : value))

async function castFor(
  column: ExtractColumn,
  found: string,
  { sample, database, styles }: Columns,
): Promise<ProposedCast | null> {
  const type = sample.columns.find((each) => each.name === found)?.type ?? 'VARCHAR'
  const own = name(found)
  if (type.startsWith('TIMESTAMP') && column.type === 'date') {
    return certain(`${own}::DATE`, 'leaves out the time')
  }
  const x = await cleaned(column, type === 'VARCHAR' ? own : `${own}::VARCHAR`, sample, database)
  const faulty = (await distinct(column, x, [], sample, database)).filter(({ fits }) => !fits)
  if (faulty.length === 0) return x === own ? null : certain(x)
  const candidates = [...casts[column.type], ...cutting(column)].filter(({ shape }) =>
    faulty.some(({ text }) => shape.test(text)),
  )
  const tried = await distinct(column, x, candidates, sample, database)
  const scored = candidates
    .map((cast, at) => ({ cast, at, fixed: fixedBy(cast, at, tried) }))
    .filter(({ fixed }) => fixed > 0)
  const most = Math.max(...scored.map(({ fixed }) => fixed))
  const equal = scored.filter(({ fixed }) => fixed === most)
  const alike = equal.find(({ cast: { style } }) => style !== undefined && styles.has(style))
  const best = alike ?? equal[0]
  if (best === undefined) return null
  const rivals = equal
    .filter(({ at }) => tried.some(({ results }) => results[at] !== results[best.at]))
    .map(({ cast }) => cast)
  const { cast } = best
  if (rivals.length === 0 && cast.style !== undefined) styles.add(cast.style)
  return {
    sql: cast.plain(x),
    mapped: [cast, ...rivals].map(({ keeping }) => keeping(x)),
    decide: cast.loses === true || (rivals.length > 0 && alike === undefined),
    notes: [
      ...(cast.note === undefined ? [] : [cast.note]),
      ...(rivals.length === 0 ? [] : [`this would fit, too: ${list(rivals.map(({ plain }) => plain(x)))}`]),
      ...(most < faulty.length ? ['some values still do not fit'] : []),
    ],
  }
}

const certain = (sql: string, ...notes: readonly string[]): ProposedCast => ({
  sql,
  mapped: [sql],
  decide: false,
  notes,
})

/** Texts of keys are never cut: they would become those of another row. */
const cutting = ({ type, maxLength, nullable }: ExtractColumn): readonly Cast[] => {
  if (type !== 'text' || maxLength === undefined || !nullable) return []
  const cut = (x: string) => `left(${x}, ${maxLength})`
  return [{ shape: /./s, plain: cut, keeping: cut, note: 'cuts the text', loses: true }]
}

/** How many faulty values fit after the cast; 0 when it would change one that is in another notation and fits. */
function fixedBy({ shape }: Cast, at: number, tried: readonly Tried[]): number {
  const harmed = tried.some(
    ({ text, fits, results, fitting }) =>
      fits && !shape.test(text) && (results[at] !== text || fitting[at] !== true),
  )
  if (harmed) return 0
  return tried.filter(({ text, fits, fitting }) => !fits && shape.test(text) && fitting[at] === true).length
}

type Tried = {
  readonly text: string
  readonly fits: boolean
  /** The text after each cast, and whether it fits. */
  readonly results: readonly (string | null)[]
  readonly fitting: readonly boolean[]
}

/** The different texts of a column, each with what the casts make of it. */
async function distinct(
  column: ExtractColumn,
  x: string,
  tried: readonly Cast[],
  { relation }: Sample,
  database: WorkDatabase,
): Promise<readonly Tried[]> {
  const fits = (text: string) => `${storedValue(column, text)} IS NOT NULL`
  const rows = await database.rows(
    `SELECT ${outgoing('x')}, ${fits('x')}, ${outgoingTexts(`[${list(tried.map((_, at) => `c${at}`))}]::VARCHAR[]`)},
       [${list(tried.map((_, at) => `coalesce(${fits(`c${at}`)}, false)`))}]::BOOLEAN[]
     FROM (SELECT ${list(['x', ...tried.map(({ keeping }, at) => `(${keeping('x')})::VARCHAR AS c${at}`)])}
       FROM (SELECT DISTINCT ${x} AS x FROM ${relation}) WHERE x <> '')`,
  )
  return rows.map(([text, fit, results, fitting]) => ({
    text: String(text),
    fits: fit === true,
    results: Array.isArray(results) ? results.map((each) => (each === null ? null : String(each))) : [],
    fitting: Array.isArray(fitting) ? fitting.map((each) => each === true) : [],
  }))
}

/** The column without spaces around its values, and without texts that stand for null, where that makes values fit. */
async function cleaned(
  column: ExtractColumn,
  x: string,
  sample: Sample,
  database: WorkDatabase,
): Promise<string> {
  const faulty = (await distinct(column, x, [], sample, database)).filter(({ fits }) => !fits)
  const trimmed = faulty.some(({ text }) => text !== text.trim()) ? `trim(${x})` : x
  if (!column.nullable) return trimmed
  const nulls = new Set(faulty.map(({ text }) => text.trim()).filter((text) => nullTexts.has(text)))
  const written = (text: string) => (text === '\0' ? 'chr(0)' : literal(text))
  return [...nulls].reduce((sql, text) => `nullif(${sql}, ${written(text)})`, trimmed)
}
