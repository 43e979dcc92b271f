/**
 * What requests read and change, with a version: the entity tag, a hash of the resource as it is read. One mechanism for all
 * resources, because nothing has to be stored for it and no change can forget to raise it.
 */
import { createHash } from 'node:crypto'
import type { StoreInTransaction } from '../../directory/control-store.ts'
import { Problem } from '../../kernel/problem.ts'

export type Resource<Params> = {
  /** Null when there is none. May throw a problem of the kind `not-found` instead. */
  readonly read: (store: StoreInTransaction, params: Params) => Promise<object | null>
  /** The member of an answer that is the resource. Answers without it are the resource themselves. */
  readonly within?: string
  /** Members that change without a change by a caller, or that only some answers have. */
  readonly without?: readonly string[]
}

/** The entity tag of an answer; null for an answer that does not show the resource. */
export function tagOf({ within, without = [] }: Resource<never>, answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null) return null
  const members = answer as Readonly<Record<string, unknown>>
  const resource = within !== undefined && within in members ? members[within] : members
  const own = Object.entries(resource as object).filter(([name]) => !without.includes(name))
  const hash = createHash('sha256').update(JSON.stringify(own.sort(byName)))
  return `"${hash.digest('base64url').slice(0, 22)}"`
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

export async function currentTag<Params>(
  resource: Resource<Params>,
  store: StoreInTransaction,
  params: Params,
): Promise<string | null> {
  try {
    return tagOf(resource, await resource.read(store, params))
  } catch (problem) {
    if (problem instanceof Problem && problem.kind === 'not-found') return null
    throw problem
  }
}
