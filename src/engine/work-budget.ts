/**
 * What a single request may cost. The unit of rows scanned is the time that it takes to scan one row of a column: a text that
 * is searched or an amount that is written out counts as several rows. The count depends on the plan, the data and the
 * existing indexes, not on how busy the machine is; the limit on processor time catches what the count misses.
 */
export type WorkBudget = {
  readonly rowsScanned: number
  readonly cpuMs: number
}

export const unlimitedWork: WorkBudget = { rowsScanned: Infinity, cpuMs: Infinity }

export type Overrun =
  /** The plan needs at least this many rows, whatever they contain, so it was not begun. */
  | { readonly kind: 'certain'; readonly rowsScanned: number; readonly limit: number }
  /** The plan was stopped at the limit, or was stopped there so recently that it was not begun again. */
  | { readonly kind: 'rows' | 'cpu'; readonly limit: number }

/** Thrown by an engine when a request would exceed its budget. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget'
  readonly overrun: Overrun

  constructor(overrun: Overrun) {
    super(`The work of a request exceeds its budget (${overrun.kind}, at most ${overrun.limit})`)
    this.overrun = overrun
  }
}
