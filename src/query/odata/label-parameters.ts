/**
 * Refuses a parameter with the name of one of the client's labels, such as `costCentre` for `Cost Centre`, or of an additional
 * field: other services filter by it, and ignoring it would return every record. Labels are known only when the data of the client is open.
 */
import { fold } from '../../kernel/text.ts'
import { unknownParameter } from '../problems.ts'
import { adviceForAdditionalField, textLiteral } from './field-parameters.ts'

/** @throws QueryProblem QRY302 with the filter to write instead */
export function refuseLabels(
  unknown: readonly (readonly [name: string, value: string])[],
  labels: readonly string[],
): void {
  if (unknown.length === 0) return
  const byWords = new Map(unknown.map((pair) => [wordsOf(pair[0]), pair]))
  byWords.delete('')
  for (const label of labels) {
    const found = byWords.get(wordsOf(label))
    if (found === undefined) continue
    const [parameter, input] = found
    const path = `customDataFields['${label.replaceAll("'", "''")}']`
    throw unknownParameter(
      { parameter, column: 0, input },
      `use $filter, as in $filter=${path} eq ${textLiteral(input)}`,
    )
  }
  for (const [parameter, input] of unknown) {
    const advice = adviceForAdditionalField(parameter, input)
    if (advice !== undefined) throw unknownParameter({ parameter, column: 0, input }, advice)
  }
}

/** Only letters and digits, without letter case: `Cost Centre`, `cost_centre` and `costCentre` are the same. */
const wordsOf = (name: string): string => fold(name).replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
