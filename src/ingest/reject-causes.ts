/**
 * Counts the rejects of a refresh by table, rule and field, with the first reject of each as an example, so that a refusal can
 * show its causes. It takes rejects as the list of rejects shows them: masked and cut.
 */
import type { Reject } from './reject-log.ts'
import { PARENT_REJECTED } from './rules/row-rules.ts'

export type RejectCause = Pick<
  Reject,
  'table' | 'rule' | 'field' | 'key' | 'value' | 'message' | 'file' | 'row'
> & {
  /** How many listed rejects have it. */
  readonly count: number
}

/** A refusal shows this many causes of a table. */
const SHOWN_CAUSES = 3

export class RejectCauses {
  readonly #tables = new Map<string, Map<string, { readonly first: Reject; count: number }>>()

  add(reject: Reject): void {
    // Such a row has no fault of its own: its cause stands with its parent.
    if (reject.rule === PARENT_REJECTED) return
    const causes = this.#tables.get(reject.table) ?? new Map()
    this.#tables.set(reject.table, causes)
    const cause = `${reject.rule} ${reject.field ?? ''}`
    const known = causes.get(cause)
    if (known === undefined) causes.set(cause, { first: reject, count: 1 })
    else known.count++
  }

  /** The most frequent causes of a table; those of equal frequency in the order in which they were found. */
  of(table: string): readonly RejectCause[] {
    return [...(this.#tables.get(table)?.values() ?? [])]
      .toSorted((a, b) => b.count - a.count)
      .slice(0, SHOWN_CAUSES)
      .map(({ first: { table, rule, field, key, value, message, file, row }, count }) => ({
        table,
        count,
        rule,
        field,
        key,
        value,
        message,
        file,
        row,
      }))
  }
}
