/** The problems of shared snapshots: SNP4xx. */
import { Problem } from '../../kernel/problem.ts'
import { fileDamaged, reasonOf } from '../problems.ts'

/** The storage cannot be reached, is overloaded, or sent something else than was stored: trying again may succeed. */
export const storageAway = (storage: string, cause: unknown): Problem =>
  new Problem(
    'SNP401',
    `The storage of the snapshots, '${storage}', does not work at the moment: ${reasonOf(cause)}`,
    {
      hint: 'Try again. Operators: check that the storage can be reached from this machine and that its credentials are valid.',
      cause,
    },
  )

/** The storage says that there is no such object: damage, unless the snapshot was removed. */
export function objectMissing(path: string): Problem {
  const problem = fileDamaged(path, 'it is missing')
  missing.add(problem)
  return problem
}

const missing = new WeakSet<object>()

export const isObjectMissing = (error: unknown): boolean => error instanceof Problem && missing.has(error)

/**
 * Another refresh has begun, so the storage may have removed what this one uploaded. Or an operator has rolled back, and gets
 * no snapshot that was begun before.
 */
export const draftEnded = (id: string): Problem =>
  new Problem(
    'SNP402',
    `Snapshot ${id} cannot be published: another refresh began while it was built, or a rollback was made`,
    { hint: 'The current snapshot stays. Refresh again when the other refresh has ended.' },
  )
