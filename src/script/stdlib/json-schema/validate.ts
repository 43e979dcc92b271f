/**
 * Validates a value by a JSON Schema (drafts 2020-12, 2019-09, 7, 6 and 4), both in their JSON form. Returns the errors, none for
 * a valid value. Refuses malformed schemas, references to other documents, and values without a JSON form.
 */
import { ScriptFailure } from '../../failure.ts'
import { ScriptArray, ScriptObject, type Value } from '../../values/value.ts'
import { MOST_LEVELS, nestedTooDeeply } from '../../values/value-walk.ts'
import type { NativeContext } from '../definition.ts'
import { evaluate } from './evaluate.ts'
import { readSchema } from './read-schema.ts'
import type { Faults } from './schema.ts'

/** Reading a level of a schema takes more of JavaScript's stack than reading a level of a value. */
const MOST_SCHEMA_LEVELS = 500

/** @throws ScriptFailure JM5002, and JM5701 for patterns that cannot be matched */
export function validate(value: Value, schema: ScriptObject, context: NativeContext): Value[] {
  requireJsonForm(value, context, MOST_LEVELS)
  requireJsonForm(schema, context, MOST_SCHEMA_LEVELS)
  const document = readSchema(schema, context)
  const surroundings = { context, document, scope: null, level: 0, reports: true }
  const entries: Value[] = []
  collect(evaluate(document.root, value, null, surroundings).faults, entries)
  return entries
}

/** After this check, keywords can rely on finite numbers and bounded nesting. */
function requireJsonForm(value: Value, context: NativeContext, levels: number): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ScriptFailure('JM5002', 'The value or the schema contains a number that JSON does not have')
  }
  if (!(value instanceof ScriptArray || value instanceof ScriptObject)) return
  if (levels === 0) throw nestedTooDeeply()
  const members = value instanceof ScriptArray ? value.items : value.slots
  context.work(1 + Math.ceil(members.length / 4))
  // The slot of a deleted key is empty.
  for (const member of members) if (member !== undefined) requireJsonForm(member, context, levels - 1)
}

function collect(faults: Faults | null, into: Value[]): void {
  if (faults === null) return
  for (const entry of faults.own) into.push(entry)
  for (const nested of faults.nested) collect(nested, into)
}
