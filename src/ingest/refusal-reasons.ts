/**
 * Why a refresh was refused, as data: each reason with its figures, and without the layout that the message of the problem has
 * for terminals. A problem of any other kind is one reason without figures.
 */
import { Problem, type ProblemCode } from '../kernel/problem.ts'
import type { RefreshReason } from '../schema/refresh-shapes.ts'
import { type RejectCause, rejectGroup } from './reject-causes.ts'
import { shortened } from './rules/field-rules.ts'

type Options = { readonly hint?: string | undefined; readonly cause?: unknown }

export class ExtractRefused extends Problem {
  readonly reasons: readonly RefreshReason[]

  constructor(code: ProblemCode, message: string, options: Options, reasons: readonly RefreshReason[]) {
    super(code, message, options)
    this.reasons = reasons
  }
}

/** A problem with one reason. */
export const refusedFor = (
  code: ProblemCode,
  message: string,
  hint: string,
  figures: RefreshReason['figures'],
): ExtractRefused =>
  new ExtractRefused(code, message, { hint }, [{ code, message, hint, figures, causes: [] }])

export const reasonsOf = (problem: Problem): readonly RefreshReason[] =>
  problem instanceof ExtractRefused ? problem.reasons : [plainReason(problem)]

const plainReason = ({ code, message, hint }: Problem): RefreshReason => ({
  code,
  message,
  hint: hint ?? null,
  figures: {},
  causes: [],
})

/** One problem that names all of the given ones; its code and hint are those of the first. */
export function allOf(problems: readonly Problem[]): Problem | undefined {
  const [first, ...rest] = problems
  if (first === undefined || rest.length === 0) return first
  const message = problems.map((problem) => problem.message).join('; ')
  return new ExtractRefused(first.code, message, { hint: first.hint }, problems.flatMap(reasonsOf))
}

type RejectedTable = {
  readonly table: string
  readonly rejects: number
  readonly rows: number
  /** The most frequent ones. */
  readonly causes: readonly RejectCause[]
  /** False when only the first of many rejects are listed and counted. */
  readonly allListed: boolean
}

/** A line for each table, and below it one for each cause. */
export function tooManyRejects(
  tables: readonly RejectedTable[],
  allowed: number,
  rejectsFile: string,
): Problem {
  const hint = `All rejects are listed in ${rejectsFile}. ${hasTypes(tables) ? '`tripfolio ingest --check` proposes casts. ' : ''}Correct the extract, or allow a larger share with --max-reject-share.`
  const messageOf = ({ table, rejects, rows }: RejectedTable) =>
    `Table '${table}' has ${rejects} rejected of ${rows} rows, more than the allowed share of ${allowed}`
  const lines = tables.flatMap((rejected) => [
    messageOf(rejected),
    ...rejected.causes.map((cause) => `  ${rejected.allListed ? '' : 'at least '}${causeText(cause)}`),
  ])
  return new ExtractRefused(
    'ING110',
    lines.join('\n'),
    { hint },
    tables.map((rejected) => {
      const { table, rejects, rows, causes } = rejected
      const figures = { table, rejects, rows, allowedShare: allowed }
      return {
        code: 'ING110',
        message: messageOf(rejected),
        hint,
        figures,
        causes: causes.map((cause) => rejectGroup(cause, [cause])),
      }
    }),
  )
}

const hasTypes = (tables: readonly RejectedTable[]): boolean =>
  tables.some(({ causes }) => causes.some(({ rule }) => rule.startsWith('type.')))

/** For example: 12 x type.date in booking_date: expected ..., found '31/01/2026' (bookings.csv, row 1) */
function causeText({ count, rule, field, key, value, message, file, row }: RejectCause): string {
  const example = shortened(value ?? Object.values(key ?? {}).join(' / '), LONGEST_EXAMPLE)
  const shown = example === '' || message.includes(example) ? '' : `: '${example}'`
  return `${count} x ${rule}${field === null ? '' : ` in ${field}`}: ${message}${shown} (${file}, row ${row})`
}

/** As long as the values in the messages of rules. */
const LONGEST_EXAMPLE = 60
