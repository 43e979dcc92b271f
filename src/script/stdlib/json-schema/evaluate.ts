/**
 * Evaluates a value by a schema: runs every keyword in turn, and the keywords call back for inner schemas. Faults are collected
 * as a tree, because the faults of a schema come before those of its inner schemas.
 */
import { ScriptFailure } from '../../failure.ts'
import { kindOf } from '../../values/kinds.ts'
import { ENTRY_BYTES } from '../../values/sizes.ts'
import { ScriptFunction, type Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'
import type { Evaluated, Faults, Frame, Outcome, Path, Schema, SchemaNode, Surroundings } from './schema.ts'

/** Limit of nested schemas. A schema that refers to itself for the same value would never end. */
const MOST_LEVELS = 500

const matched: Outcome = { valid: true, faults: null, evaluated: null }
const notMatched: Outcome = { valid: false, faults: null, evaluated: null }

/** @throws ScriptFailure JM5002 for schemas that refer to themselves for the same value */
export function evaluate(
  schema: Schema,
  value: Value,
  path: Path,
  from: Surroundings,
  reports: boolean = from.reports,
): Outcome {
  from.context.work(1)
  if (schema === true) return matched
  if (schema === false) return reports ? refused(from.context, path) : notMatched
  if (from.level >= MOST_LEVELS) {
    throw new ScriptFailure('JM5002', 'The schema refers to itself without end, or is nested too deeply')
  }
  const frame = enter(schema, value, path, from, reports)
  for (const check of schema.checks) {
    check(frame)
    if (!reports && !frame.valid) break
  }
  return frame
}

function enter(schema: SchemaNode, given: Value, path: Path, from: Surroundings, reports: boolean): Frame {
  const { context, document, scope, level } = from
  // JSON has no functions, so they are texts.
  const value = given instanceof ScriptFunction ? '<function>' : given
  return {
    context,
    document,
    scope: scope?.resource === schema.resource ? scope : { resource: schema.resource, outer: scope },
    level: level + 1,
    reports,
    value,
    kind: kindOf(value),
    path,
    evaluated: document.hasUnevaluated ? nothingEvaluated() : null,
    valid: true,
    faults: null,
  }
}

const nothingEvaluated = (): Evaluated => ({
  allProperties: false,
  properties: new Set(),
  allItems: false,
  itemsBefore: 0,
  items: new Set(),
})

const refused = (context: NativeContext, path: Path): Outcome => ({
  valid: false,
  faults: { own: [entryOf(context, path, '', 'No value is allowed here')], nested: [] },
  evaluated: null,
})

/** Records that a keyword does not match. */
export function fail(frame: Frame, keyword: string, message: string): void {
  frame.valid = false
  if (!frame.reports) return
  faultsOf(frame).own.push(entryOf(frame.context, frame.path, keyword, message))
}

/** Evaluates a member or an element by a schema. */
export function evaluateChild(frame: Frame, schema: Schema, key: string | number, value: Value): void {
  const outcome = evaluate(schema, value, { token: String(key), outer: frame.path }, frame)
  if (!outcome.valid) addFaults(frame, outcome)
}

/** Evaluates the same value by another schema, which must match too. */
export function evaluateInPlace(frame: Frame, schema: Schema): void {
  const outcome = attempt(frame, schema)
  if (!outcome.valid) addFaults(frame, outcome)
}

/** Evaluates the same value by another schema; only a match marks parts of the value as evaluated. */
export function attempt(frame: Frame, schema: Schema, reports: boolean = frame.reports): Outcome {
  const outcome = evaluate(schema, frame.value, frame.path, frame, reports)
  if (outcome.valid && outcome.evaluated !== null && frame.evaluated !== null) {
    addEvaluated(frame, frame.evaluated, outcome.evaluated)
  }
  return outcome
}

export function addFaults(frame: Frame, outcome: Outcome): void {
  frame.valid = false
  if (frame.reports && outcome.faults !== null) faultsOf(frame).nested.push(outcome.faults)
}

function addEvaluated(frame: Frame, into: Evaluated, more: Evaluated): void {
  const size = more.properties.size + more.items.size
  frame.context.work(size)
  frame.context.allocate(ENTRY_BYTES * size)
  into.allProperties ||= more.allProperties
  into.allItems ||= more.allItems
  into.itemsBefore = Math.max(into.itemsBefore, more.itemsBefore)
  for (const key of more.properties) into.properties.add(key)
  for (const index of more.items) into.items.add(index)
}

function faultsOf(frame: Frame): Faults {
  frame.faults ??= { own: [], nested: [] }
  return frame.faults
}

/** An entry of the result (language reference, 10.6). It is made at once, so that its memory is counted at once. */
function entryOf(context: NativeContext, path: Path, keyword: string, message: string): Value {
  const pointer = pointerTo(context, path)
  const entry = context.object()
  context.set(entry, 'path', pointer)
  context.set(entry, 'keyword', context.text(keyword))
  context.set(entry, 'message', context.text(message))
  return entry
}

function pointerTo(context: NativeContext, path: Path): string {
  let units = 0
  const tokens: string[] = []
  for (let step = path; step !== null; step = step.outer) {
    units += 1 + step.token.length
    tokens.push(step.token)
  }
  context.work(tokens.length + Math.ceil(units / 100))
  return context.text(
    tokens
      .reverse()
      .map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join(''),
  )
}
