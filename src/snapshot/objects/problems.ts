/** The problems of shared snapshots: SNP4xx. */
import { Problem } from '../../kernel/problem.ts'
import { reasonOf } from '../problems.ts'

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
