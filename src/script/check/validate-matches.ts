/** Checks that a match has the arms it needs (language reference, 7.3). */
import type { MatchArm, MatchExpression, MatchStatement } from '../syntax/ast.ts'
import { counted, listed, quoted } from './problem-list.ts'
import type { Validation } from './validation.ts'

/** The first arm decides the union of the match; arms for variants of other unions are allowed as well. */
export function checkArms(match: MatchStatement | MatchExpression, validation: Validation): void {
  const { unions, problems } = validation
  const seen = new Set<string>()
  for (const arm of match.arms) {
    checkArm(arm, validation)
    const { text } = arm.variant
    if (seen.has(text)) problems.add('JM3603', arm.span.start, `Variant ${quoted(text)} already has an arm`)
    seen.add(text)
  }
  const union = unions.get(match.arms[0]?.variant.text ?? '')?.union
  if (union === undefined) return
  const missing = union.variants.size - [...seen].filter((name) => union.variants.has(name)).length
  if (missing === 0) return
  const names = union.variants.values().filter((name) => !seen.has(name))
  const what = `${counted(missing, 'variant')} of union ${quoted(union.name)}`
  problems.add('JM3602', match.span.start, `The match misses ${what}: ${listed(names, missing)}`)
}

function checkArm(
  { variant: { text }, bindings, span }: MatchArm,
  { unions, problems, suggest }: Validation,
): void {
  const fields = unions.get(text)?.variant.fields
  if (fields === undefined) {
    const message = `No union has a variant ${quoted(text)}${suggest(text, unions.keys())}`
    problems.add('JM3606', span.start, message)
  } else if (fields.length !== bindings.length) {
    const message = `Variant ${quoted(text)} has ${counted(fields.length, 'field')}, but the arm binds ${bindings.length}`
    problems.add('JM3604', span.start, message)
  }
}
