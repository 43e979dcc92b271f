/** Refuses a sequence where its values are needed at once. */
import { ScriptFailure } from '../failure.ts'
import { ScriptSequence, type Value } from './value.ts'

/** @throws ScriptFailure JM5002 for a sequence */
export function refuseSequence(value: Value): void {
  if (value instanceof ScriptSequence) throw new ScriptFailure('JM5002', onlyForEach(value))
}

export const onlyForEach = ({ name }: ScriptSequence): string =>
  `What ${name} returns is read part by part: only foreach goes over it, as in 'foreach item in ${name}(...) do'`
