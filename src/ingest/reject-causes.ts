/**
 * Counts the rejects of a refresh by table, rule and field, with the first rejects of each as examples, so that a refusal and the
 * history of refreshes can show its causes. It takes rejects as the list of rejects shows them: masked and cut.
 */
import type { RejectGroup } from '../schema/refresh-shapes.ts'
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
const MOST_GROUPS = 200
const MOST_EXAMPLES = 3

type Counted = { readonly first: Reject; readonly examples: Reject[]; count: number }

export class RejectCauses {
  readonly #tables = new Map<string, Map<string, Counted>>()

  add(reject: Reject): void {
    // Such a row has no fault of its own: its cause stands with its parent.
    if (reject.rule === PARENT_REJECTED) return
    const causes = this.#tables.get(reject.table) ?? new Map<string, Counted>()
    this.#tables.set(reject.table, causes)
    const cause = `${reject.rule} ${reject.field ?? ''}`
    const known = causes.get(cause)
    if (known === undefined) {
      causes.set(cause, { first: reject, examples: [reject], count: 1 })
      return
    }
    known.count++
    if (known.examples.length < MOST_EXAMPLES) known.examples.push(reject)
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

  /** The most frequent causes of all tables. */
  groups(): readonly RejectGroup[] {
    return [...this.#tables.values()]
      .flatMap((causes) => [...causes.values()])
      .toSorted((a, b) => b.count - a.count)
      .slice(0, MOST_GROUPS)
      .map(({ first, examples, count }) => rejectGroup({ ...first, count }, examples))
  }
}

type Example = Pick<Reject, 'file' | 'row' | 'key' | 'value' | 'message'>

export const rejectGroup = (
  { table, rule, field, count }: Pick<RejectCause, 'table' | 'rule' | 'field' | 'count'>,
  examples: readonly Example[],
): RejectGroup => ({
  table,
  rule,
  field,
  count,
  examples: examples.map(({ file, row, key, value, message }) => ({ file, row, key, value, message })),
})
