/**
 * Reads a page and the total of its selection. Planning and running both in one statement is cheapest where there are few rows.
 * Where there are many, counting may take long: then it runs beside the page, on a connection of its own. A search in texts
 * finds few records, so that its first page mostly tells the total itself, and counting it is not even planned.
 */
import type { Paging } from '../../query/ast.ts'
import type { Predicate } from '../../query/plan/plan-nodes.ts'
import { recordsIn } from './batches.ts'
import type { Selection } from './selections.ts'
import { countStatement, pageStatement, type RecordsRow, type Statement } from './statements.ts'

/** Rows from which on counting may take longer than another statement costs. */
const MANY_ROWS = 20_000

type WantedPage = {
  readonly where: Predicate | null
  readonly selection: Selection
  readonly paging: Paging
  /** The total, if it is known. */
  readonly known: number | undefined
  /** The rows of the client. */
  readonly rows: number
}

type Ask = (statement: Statement) => Promise<RecordsRow>

export async function readPage(wanted: WantedPage, ask: Ask): Promise<Required<RecordsRow>> {
  const { where, selection, paging, known, rows } = wanted
  const countsApart = known === undefined && rows >= MANY_ROWS && !selection.looksIntoElements
  // The parameters of the page are added later.
  const count = countsApart ? countStatement(selection) : null
  const counting = count !== null && !hasSearch(where) ? ask(count) : null
  // When the page fails, nobody looks at it.
  counting?.catch(() => undefined)
  const { total, records } = await ask(pageStatement(selection, paging, known === undefined && !countsApart))
  if (count === null) return { total: known ?? total ?? 0, records }
  const read = counting === null ? totalOfLast(records, paging) : null
  return { total: read ?? (await (counting ?? ask(count))).total ?? 0, records }
}

/** Null when further pages may follow, or when earlier ones may be the last. */
function totalOfLast(records: RecordsRow['records'], { offset, limit }: Paging): number | null {
  const count = records === null ? 0 : recordsIn(records)
  return count < limit && (count > 0 || offset === 0) ? offset + count : null
}

const hasSearch = (predicate: Predicate | null): boolean =>
  predicate?.kind === 'match' || (predicate?.kind === 'and' && predicate.operands.some(hasSearch))
