/**
 * What a text column holds in a part whose source has types of its own (Parquet, JSON, views, a warehouse). A text, an integer
 * and a date have one text each. A number with a fraction is an integer where it is a whole one, because programs make such
 * numbers of integers with nulls; any other text would be a rendering of the type, so it counts as lost.
 */
import { list, outgoingTexts } from '../sql-text.ts'
import type { WorkDatabase } from '../work-database.ts'

/** What values of a type are compared as. */
export type Family = 'text' | 'number' | 'date' | 'other'

/** A cast with which the operator says which text is meant. */
export type TextCast = {
  readonly sql: string
  readonly note?: string
  /** Whether it leaves out a part of the value. */
  readonly loses?: true
}

/** How values of a type become texts. `x` is SQL of a value. */
export type TextForm = {
  readonly family: Family
  /** SQL of the text that is read; the value as text unless given. */
  readonly read?: (x: string) => string
  /** The texts that lose nothing of the value, as a pattern; all unless given, and none when null. */
  readonly plain?: string | null
  /** Whether whole numbers of the type are read as integers, and that is worth saying. */
  readonly isFraction?: boolean
  readonly castOf?: (x: string, lost: Lost) => TextCast | null
}

/** A text column, and the type of its values in the source. */
export type TypedText = Omit<TextForm, 'read' | 'castOf'> & {
  readonly column: string
  /** As the source calls it, such as DOUBLE. */
  readonly type: string
  readonly castOf: (lost: Lost) => TextCast | null
}

/** What the lost values are like, where numbers were expected. */
export type Lost = {
  /** Whether some are so large that a program has rounded them. */
  readonly areRounded: boolean
  readonly areInfinite: boolean
}

/** What one part has in a text column. */
export type TextTypes = {
  readonly column: string
  readonly type: string
  readonly families: readonly Family[]
  /** Whole numbers that were read as integers. */
  readonly whole: number
  /** Values without a certain text; they refuse the part. */
  readonly lost: number
  /** Up to three of them. */
  readonly examples: readonly string[]
  /** Null when no cast brings them back. */
  readonly cast: TextCast | null
}

/** The texts of whole numbers and of dates. */
export const WHOLE = String.raw`-?\d+`
export const DAY = String.raw`\d{4}-\d{2}-\d{2}`
/** A double holds each integer below this one; a float each integer below the other one. */
export const DOUBLE_LIMIT = 2 ** 53
export const FLOAT_LIMIT = 2 ** 24

const ROUNDED = String.raw`-?\d+(\.\d+)?e\+\d+|-?\d{8,}(\.0)?`
const INFINITE = '[+-]?(nan|inf|infinity)'

/** @param select SQL that yields the columns as text */
export async function textTypesIn(
  select: string,
  columns: readonly TypedText[],
  database: WorkDatabase,
): Promise<readonly TextTypes[]> {
  const doubtful = columns.filter(({ plain }) => plain !== undefined)
  const found = new Map<string, Pick<TextTypes, 'whole' | 'lost' | 'examples' | 'cast'>>()
  if (doubtful.length > 0) {
    const [row = []] = await database.rows(`SELECT ${list(doubtful.flatMap(factsOf))} FROM (${select})`)
    for (const [at, { column, isFraction = false, castOf }] of doubtful.entries()) {
      const [plain, lost, examples, areRounded, areInfinite] = row.slice(FACTS * at)
      found.set(column, {
        whole: isFraction ? Number(plain) : 0,
        lost: Number(lost),
        examples: Array.isArray(examples) ? examples.map(String) : [],
        cast: castOf({ areRounded: areRounded === true, areInfinite: areInfinite === true }),
      })
    }
  }
  return columns.map(({ column, type, family }) => ({
    column,
    type,
    families: [family],
    ...(found.get(column) ?? { whole: 0, lost: 0, examples: [], cast: null }),
  }))
}

const FACTS = 5
const EXAMPLES = 3

function factsOf({ column, plain }: TypedText): readonly string[] {
  const isPlain = plain === null ? 'false' : `regexp_full_match(${column}, '${plain}')`
  const isLost = `NOT ${isPlain}`
  return [
    `count(${column}) FILTER (${isPlain})`,
    `count(${column}) FILTER (${isLost})`,
    outgoingTexts(`list_sort(list_distinct(min(${column}, 100) FILTER (${isLost})))[:${EXAMPLES}]`),
    `bool_or(regexp_full_match(${column}, '${ROUNDED}')) FILTER (${isLost})`,
    `bool_or(regexp_full_match(lower(${column}), '${INFINITE}')) FILTER (${isLost})`,
  ]
}
