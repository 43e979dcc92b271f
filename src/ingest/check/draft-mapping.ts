/**
 * Drafts a `tripfolio.sql` from what was found: a view for each table that a refresh would not read as it is. What is only
 * guessed, or can be read in two ways, is a comment, so that a refresh asks for it instead of publishing a guess.
 */
import { firstOf } from '../problems.ts'
import { list, name } from '../sql-text.ts'
import { TYPE_TEXT } from '../types/lost-types.ts'
import { castMacros } from './casts.ts'
import type { ColumnFault } from './column-faults.ts'
import type { LookedAt } from './look-at-table.ts'
import type { ColumnMatch } from './names.ts'
import type { OtherFiles } from './sampled-source.ts'

/**
 * @param present the text of the tripfolio.sql that the folder has
 * @returns null when no table needs anything
 */
export function draftMapping(
  tables: readonly LookedAt[],
  present: string | null,
  otherFiles: readonly OtherFiles[],
): string | null {
  const drafts = tables.flatMap((table) => draftOf(table) ?? [])
  if (drafts.length === 0) return null
  const views = drafts.join('\n')
  const used = Object.entries(castMacros).filter(([macro]) => views.includes(`${macro}(`))
  return [
    present === null ? HEADER : `${ended(present)}\n`,
    ...otherFiles.filter(({ table }) => table === null).map((found) => comment(shownFiles(found))),
    ...(used.length === 0 ? [] : [MACROS, ...used.map(([, sql]) => sql), '']),
    views,
  ].join('\n')
}

/** `Debtors.csv (delimiter ;, windows-1252): DebtorNo, DebtorName` */
export function shownFiles({ files, delimiter, encoding, columns }: OtherFiles): string {
  const [first = ''] = files
  const named = files.length === 1 ? first : `${first} and ${files.length - 1} more`
  const written = [
    ...(delimiter === null ? [] : [`delimiter ${delimiter === '\t' ? 'tab' : delimiter}`]),
    encoding,
  ]
  return `${named} (${written.join(', ')}): ${firstOf(columns)}`
}

/** The last statement of a file may lack its semicolon. */
const ended = (sql: string): string => (/;\s*$/.test(sql) ? sql.trimEnd() : `${sql.trimEnd()}\n;`)

const HEADER = `-- Drafted by tripfolio ingest --check. Check each line, and save it as tripfolio.sql in the folder of the extract.
`
const MACROS = '-- A text in another notation stays as it is: a refresh sets its row aside and shows it.'

/** Null for a table that needs nothing. */
function draftOf({ table, check, sample, encoding, hasEscapes, matches, values }: LookedAt): string | null {
  const { found, faults, required } = check
  const comments = faults.map((fault) => comment(`${table.name}: ${fault}`))
  if (found === 'view') {
    return check.fits ? null : comment(`${table.name}: correct its view above, as the check says`)
  }
  const escapes = hasEscapes ? [`SET VARIABLE escape_${table.name} = '\\';`] : []
  if ((encoding !== null || hasEscapes) && values.length === 0) {
    return [...comments, ...encodingLines(table.name, encoding), ...escapes, ''].join('\n')
  }
  if (sample === null) {
    if (check.fits || (!required && faults.length === 0)) return null
    const reason = found === 'files' ? 'its files cannot be read with SQL as they are' : 'no file was found'
    return [
      ...comments,
      comment(`${table.name}: ${reason}. Write its view:`),
      emptyView(table.name),
      '',
    ].join('\n')
  }
  if (check.fits && found === 'files' && values.every(({ cast }) => cast === null)) return null
  const columns = matches.flatMap((match) =>
    columnLines(
      match,
      values.filter(({ column }) => column === match.column.column),
    ),
  )
  const names = matches.flatMap((match) => match.name ?? [])
  return [
    ...comments,
    ...encodingLines(table.name, sample.encoding),
    ...escapes,
    `CREATE VIEW ${table.name} AS SELECT`,
    ...columns.map((line) => `  ${line}`),
    `FROM ${sample.source(names)};`,
    '',
  ].join('\n')
}

/** A view reads files of a stated encoding in UTF-8, too. */
const encodingLines = (table: string, encoding: string | null): readonly string[] =>
  encoding === null
    ? []
    : [
        comment(`${table}: check letters with accents, because other encodings look alike`),
        `SET VARIABLE encoding_${table} = '${encoding}';`,
      ]

const emptyView = (table: string): string => `-- CREATE VIEW ${table} AS SELECT ... FROM '...';`

/** A comma after the last column is allowed, so each line may be moved or made a comment. */
function columnLines(
  { column: { column, required, nullable }, name: found, nearest }: ColumnMatch,
  faults: readonly ColumnFault[],
): readonly string[] {
  if (found === null) {
    if (!required) return []
    if (nearest === null && nullable) return [`NULL AS ${column},`]
    const guess = nearest === null ? '...' : name(nearest)
    if (nullable) {
      return [
        comment(`${column} is missing: decide whether this name is meant, or there is none:`),
        `-- ${guess} AS ${column},`,
        `-- NULL AS ${column},`,
      ]
    }
    return [
      comment(`${column} is missing${nearest === null ? '' : '; this name is the nearest'}:`),
      `-- ${guess} AS ${column},`,
    ]
  }
  const cast = faults.find((fault) => fault.cast !== null)?.cast ?? null
  const notes = [
    ...(cast?.notes ?? []),
    ...faults
      .filter((fault) => fault.cast === null)
      .map(({ rule, examples }) => (rule === TYPE_TEXT ? DIGITS_LOST : without(examples))),
  ]
  const said = notes.map((note) => comment(`${column}: ${note}`))
  // As a number it is refused until it is exported as text.
  const isLost = cast === null && faults.some(({ rule }) => rule === TYPE_TEXT)
  if (isLost) return [...said, `try_cast(${name(found)} AS DOUBLE) AS ${column},`]
  if (cast?.decide) {
    const choices = cast.mapped.map((sql) => `-- ${sql} AS ${column},`)
    return [
      ...said,
      comment(`${column}: decide, and use this instead of the next line:`),
      ...choices,
      plain(found, column),
    ]
  }
  return [...said, cast === null ? plain(found, column) : `${cast.mapped[0]} AS ${column},`]
}

const DIGITS_LOST =
  'its digits are lost, and no cast brings them back: export it as text, or leave out the next line'

const plain = (found: string, column: string): string =>
  found === column ? `${column},` : `${name(found)} AS ${column},`

const without = (examples: readonly string[]): string =>
  examples.length === 0
    ? 'some rows have no value'
    : `no cast is known for ${list(examples.map((text) => `'${text}'`))}`

/** Texts of an extract may have line ends, which would end the comment. */
const comment = (text: string): string => `-- ${text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`
