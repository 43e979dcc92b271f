/** The host function that writes a value as a literal of a filter, so that what callers send cannot change the filter. */
import {
  any,
  define,
  kindOf,
  type NativeContext,
  type NativeFunction,
  numberToText,
  ScriptArray,
  type Value,
} from '../../../script/values.ts'
import { refusedArgument } from '../failures.ts'

const filterText = define({
  name: 'FilterText',
  category: 'Texts',
  parameters: [any('value')],
  returns: 'string',
  about:
    'Writes a value as a literal of filter and apply: a text or date in quotes, which are doubled inside it; a number, boolean or null as it is; an array as a list for in. "traveller eq " + FilterText(name) means this name, whatever it contains.',
  body(context, value) {
    if (!(value instanceof ScriptArray)) return context.text(literal(value, context))
    const items = value.items.map((item) => {
      const written = literal(item, context)
      // It stays until all are joined.
      context.allocate(ITEM_BYTES + 2 * written.length)
      return written
    })
    return context.newText(`(${items.join(', ')})`)
  },
})

/** Memory of an item besides its characters, and of its separator. */
const ITEM_BYTES = 36

function literal(value: Value, { work }: NativeContext): string {
  work(1)
  if (value === null) return 'null'
  switch (typeof value) {
    case 'string':
      work(value.length / 100)
      return `'${value.replaceAll("'", "''")}'`
    case 'boolean':
      return String(value)
    case 'number':
      if (Number.isFinite(value)) return numberToText(value)
  }
  const found = typeof value === 'number' ? String(value) : kindOf(value)
  throw refusedArgument(
    `FilterText expects a text, a finite number, a boolean, null or an array of these; it was given ${found}`,
  )
}

export const filterFunctions: readonly NativeFunction[] = [filterText]
