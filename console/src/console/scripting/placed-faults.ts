/** The faults of a refused body, with the member that each is about. */
import type { ApiProblem } from '../../api/problem.ts'
import type { PlacedFault } from '../../parts/shape-form/shape.ts'

export const placedFaults = (problem: ApiProblem | undefined): readonly PlacedFault[] =>
  (problem?.details ?? []).flatMap(({ path, message }) =>
    typeof path === 'string' ? [{ path, message }] : [],
  )
