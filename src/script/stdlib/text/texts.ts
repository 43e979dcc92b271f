/**
 * Functions for texts other than regular expressions, and the list of them all (language reference, 10.1, and base64 and
 * identifiers of 10.5). All comparisons are by UTF-16 unit.
 */
import { ScriptFailure } from '../../failure.ts'
import { areEqual } from '../../values/equality.ts'
import { kindOf } from '../../values/kinds.ts'
import { parseNumber } from '../../values/number-text.ts'
import { ScriptArray } from '../../values/value.ts'
import { any, define, type NativeContext, type NativeFunction, text } from '../definition.ts'
import { base64Decode, base64Encode } from './base64.ts'
import { trim } from './blanks.ts'
import { toLower, toUpper } from './case.ts'
import { countReading, countText } from './cost.ts'
import { join, padLeft, padRight, replace, split, substring } from './parts.ts'
import { newGuid, randomString } from './random.ts'
import { indexOfText } from './search.ts'

const category = 'Text'

const upper = define({
  name: 'ToUpper',
  category,
  parameters: [text('value')],
  returns: 'string',
  about: 'Writes a text in upper case, without changing its length.',
  body(context, value) {
    countText(value.length, context)
    return context.newText(toUpper(value))
  },
})

const lower = define({
  name: 'ToLower',
  category,
  parameters: [text('value')],
  returns: 'string',
  about: 'Writes a text in lower case, without changing its length.',
  body(context, value) {
    countText(value.length, context)
    return context.newText(toLower(value))
  },
})

const alias = (name: string, of: NativeFunction): NativeFunction => ({
  ...of,
  name,
  aliasOf: of.name,
  about: `Another name of \`${of.name}\`, in the service dialect only. A script may have a function of its own with this name.`,
})

const trimmed = define({
  name: 'Trim',
  category,
  parameters: [text('value')],
  returns: 'string',
  about: 'Removes the white space from both ends of a text.',
  body(context, value) {
    countReading(value.length, context)
    return context.text(trim(value))
  },
})

const contains = define({
  name: 'Contains',
  category,
  parameters: [any('text'), any('search')],
  returns: 'boolean',
  about: 'Whether a text contains another, or an array an element equal to a value.',
  body(context, value, search) {
    if (value === null || search === null) return false
    if (typeof value === 'string' && typeof search === 'string') {
      countReading(value.length + search.length, context)
      return indexOfText(value, search) >= 0
    }
    if (value instanceof ScriptArray) {
      return value.items.some((item) => {
        context.work(1)
        return areEqual(item, search, context, 'never')
      })
    }
    throw new ScriptFailure(
      'JM5704',
      typeof value === 'string'
        ? `Contains looks for a String in a String, not for ${kindOf(search)}`
        : `Contains looks into a String or an Array, not into ${kindOf(value)}`,
    )
  },
})

const comparing = (name: string, about: string, compare: (left: string, right: string) => boolean) =>
  define({
    name,
    category,
    parameters: [text('left'), text('right')],
    returns: 'boolean',
    about,
    body(context: NativeContext, left, right) {
      countReading(right.length, context)
      return compare(left, right)
    },
  })

const startsWith = comparing('StartsWith', 'Whether a text begins with another.', (left, right) =>
  left.startsWith(right),
)

const endsWith = comparing('EndsWith', 'Whether a text ends with another.', (left, right) =>
  left.endsWith(right),
)

const toNumber = define({
  name: 'ToNumber',
  category,
  parameters: [text('value')],
  returns: 'number or null',
  about: 'Reads a text as a number; null if it is not a number.',
  body(context, value) {
    countReading(value.length, context)
    return parseNumber(value)
  },
})

export const textFunctions: readonly NativeFunction[] = [
  upper,
  lower,
  alias('Upper', upper),
  alias('Lower', lower),
  trimmed,
  replace,
  contains,
  startsWith,
  endsWith,
  split,
  join,
  substring,
  toNumber,
  padLeft,
  padRight,
  randomString,
  base64Encode,
  base64Decode,
  newGuid,
]
