/**
 * What a single request may cost. Rows scanned are counted in one unit, the time it takes to scan a row of a column: a
 * text that is searched or an amount that is written out counts as several. The count depends on the plan, the data and
 * the indexes that are there, and not on how busy the machine is; the processor time is the net below it.
 */
export type WorkBudget = {
  readonly rowsScanned: number
  readonly cpuMs: number
}

export const unlimitedWork: WorkBudget = { rowsScanned: Infinity, cpuMs: Infinity }

export type Overrun =
  /** The plan looks at so many rows at least, whatever they hold: it was not begun. */
  | { readonly kind: 'certain'; readonly rowsScanned: number; readonly limit: number }
  /** It was stopped at the limit, or was stopped there so recently that it was not begun again. */
  | { readonly kind: 'rows' | 'cpu'; readonly limit: number }

/** What an engine throws instead of exceeding its budget. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget'
  readonly overrun: Overrun

  constructor(overrun: Overrun) {
    super(`The work of a request exceeds its budget (${overrun.kind}, at most ${overrun.limit})`)
    this.overrun = overrun
  }
}
