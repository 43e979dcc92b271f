/** Keywords that evaluate the same value by other schemas, and keywords that refer to other schemas. */
import { each, schema, schemas, text } from '../arguments.ts'
import { addFaults, attempt, evaluateInPlace, fail } from '../evaluate.ts'
import { companion, forAll, type Keyword, keyword } from '../keyword.ts'
import { resolve, resolveDynamically, resolveRecursively } from '../references.ts'
import type { Check, Schema } from '../schema.ts'

const allOf = forAll('allOf', schemas, (frame, given) => {
  for (const each of given) evaluateInPlace(frame, each)
})

const anyOf = forAll('anyOf', schemas, (frame, given) => {
  // All schemas are tried: each match may mark parts of the value as evaluated.
  const outcomes = given.map((each) => attempt(frame, each))
  if (outcomes.some(({ valid }) => valid)) return
  fail(frame, 'anyOf', 'The value matches none of the schemas')
  for (const outcome of outcomes) addFaults(frame, outcome)
})

const oneOf = forAll('oneOf', schemas, (frame, given) => {
  const outcomes = given.map((each) => attempt(frame, each))
  const count = outcomes.filter(({ valid }) => valid).length
  if (count === 1) return
  fail(frame, 'oneOf', `The value matches ${count} of the schemas instead of exactly 1`)
  if (count === 0) for (const outcome of outcomes) addFaults(frame, outcome)
})

const not = forAll('not', schema, (frame, given) => {
  if (attempt(frame, given, false).valid)
    fail(frame, 'not', 'The value matches a schema that it must not match')
})

const condition = keyword(
  'if',
  (argument, reading) => {
    const given = schema(argument, reading)
    const [then, otherwise] = ['then', 'else'].map((branch) => {
      const branchSchema = reading.sibling(branch)
      return branchSchema === undefined ? true : schema(branchSchema, reading)
    }) as [Schema, Schema]
    return (frame) => evaluateInPlace(frame, attempt(frame, given, false).valid ? then : otherwise)
  },
  { since: 7 },
)

/** A reference always leads to the same schema, which is found when it is first needed. */
const reference = keyword('$ref', (argument, reading) => {
  const reference = text(argument, reading)
  const { resource } = reading.node
  let target: Schema | undefined
  return (frame) => {
    target ??= resolve(frame.document, resource, reference).schema
    evaluateInPlace(frame, target)
  }
})

const dynamicReference = keyword(
  '$dynamicRef',
  (argument, reading) => {
    const reference = text(argument, reading)
    const { resource } = reading.node
    return (frame) =>
      evaluateInPlace(frame, resolveDynamically(frame.document, resource, reference, frame.scope))
  },
  { since: 2020 },
)

const recursiveReference = keyword(
  '$recursiveRef',
  (argument, reading): Check => {
    text(argument, reading)
    const { resource } = reading.node
    return (frame) => evaluateInPlace(frame, resolveRecursively(frame.document, resource, frame.scope))
  },
  { since: 2019, until: 2019 },
)

export const combiningKeywords: readonly Keyword[] = [
  reference,
  dynamicReference,
  recursiveReference,
  allOf,
  anyOf,
  oneOf,
  not,
  condition,
  companion('then', schema, { since: 7 }),
  companion('else', schema, { since: 7 }),
  companion('definitions', each(schema)),
  companion('$defs', each(schema), { since: 2019 }),
]
