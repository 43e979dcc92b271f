/** Problems of importing a directory file (DIR317). */
import { DetailedProblem, type ProblemDetail } from '../../kernel/problem.ts'

/** The most faults that are told. */
export const MOST_FAULTS = 100

/** @param faults of the whole file, or of its beginning when there are {@link MOST_FAULTS} */
export const badDirectoryFile = (faults: readonly ProblemDetail[]) =>
  new DetailedProblem(
    'DIR317',
    `The file cannot be imported, and nothing was changed: faults (${faults.length}${
      faults.length < MOST_FAULTS ? '' : ', and no further row was read'
    }), the first at ${faults[0]?.path}: ${faults[0]?.message}`,
    faults,
  )
