/** Functions that check the form of values (language reference, 10.6). */
import type { ScriptObject, Value } from '../values/value.ts'
import { any, array, define, type NativeFunction, object } from './definition.ts'
import { validate } from './json-schema/validate.ts'

const category = 'Schemas'

const validateRequired = define({
  name: 'ValidateRequired',
  category,
  parameters: [object('obj'), array('fields')],
  returns: 'object',
  about: 'Checks that an object has all of the named fields and that none of them is null or blank.',
  body(context, given, { items }) {
    const errors: Value[] = []
    for (const field of items) {
      context.work(1)
      if (typeof field !== 'string') continue
      const complaint = complaintAbout(given, field)
      if (complaint !== null) errors.push(context.text(`${complaint}: ${field}`))
    }
    const result = context.object()
    context.set(result, 'valid', errors.length === 0)
    context.set(result, 'errors', context.array(errors))
    return result
  },
})

function complaintAbout(object: ScriptObject, field: string): string | null {
  if (!object.has(field)) return 'Missing required field'
  const value = object.get(field)
  if (value === null) return 'Field is null'
  return typeof value === 'string' && !NOT_BLANK.test(value) ? 'Field is empty' : null
}

/** A character that is not white space in Unicode. Unlike in JavaScript, U+0085 is white space and U+FEFF is not. */
const NOT_BLANK = /[^\p{White_Space}]/u

const validateSchema = define({
  name: 'ValidateSchema',
  category,
  parameters: [any('data'), object('schema')],
  returns: 'array',
  about: 'Validates a value by a JSON Schema and lists its errors; the list is empty for a valid value.',
  body: (context, data, schema) => context.array(validate(data, schema, context)),
})

export const schemaFunctions: readonly NativeFunction[] = [validateRequired, validateSchema]
