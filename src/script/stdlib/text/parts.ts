/** Functions that cut, join and pad texts (language reference, 10.1). */

import { ScriptFailure } from '../../failure.ts'
import { toInteger } from '../../values/integers.ts'
import { TextPieces } from '../../values/long-texts.ts'
import { numberToText } from '../../values/number-text.ts'
import { narrowed, partOfText } from '../../values/part-of-text.ts'
import { PLACE_BYTES, TEXT_BYTES, UNIT_BYTES } from '../../values/sizes.ts'
import { toText } from '../../values/to-text.ts'
import type { Value } from '../../values/value.ts'
import { array, define, type NativeContext, number, optional, text } from '../definition.ts'
import { countReading, countText, requireLength } from './cost.ts'
import { searchIn } from './search.ts'

const category = 'Text'

export const replace = define({
  name: 'Replace',
  category,
  parameters: [text('source'), text('oldValue'), text('newValue')],
  returns: 'string',
  about: 'Replaces every occurrence of a plain text by another text.',
  body(context, source, oldValue, newValue) {
    if (oldValue === '') throw new ScriptFailure('JM5002', 'Replace cannot look for the empty text')
    let occurrences = 0
    for (const _ of occurrencesOf(oldValue, source, context)) occurrences++
    if (occurrences === 0) return source
    countText(source.length + occurrences * (newValue.length - oldValue.length), context)
    const pieces = new TextPieces()
    let start = 0
    for (const at of occurrencesOf(oldValue, source, context)) {
      pieces.add(source.slice(start, at))
      pieces.add(newValue)
      start = at + oldValue.length
    }
    pieces.add(source.slice(start))
    return context.newText(narrowed(pieces.end(), source))
  },
})

export const split = define({
  name: 'Split',
  category,
  parameters: [text('left'), text('right')],
  returns: 'array of string',
  about: 'Cuts a text at every occurrence of another, keeping empty pieces.',
  body(context, left, right) {
    const pieces: Value[] = []
    let start = 0
    for (const at of occurrencesOf(right, left, context)) {
      pieces.push(context.text(partOfText(left, start, at)))
      start = at + right.length
    }
    pieces.push(context.text(partOfText(left, start)))
    return context.array(pieces)
  },
})

/** The places of a text in another, without overlaps; none for the empty text. */
function* occurrencesOf(searched: string, source: string, context: NativeContext): Generator<number> {
  countReading(source.length + searched.length, context)
  if (searched === '') return
  const search = searchIn(source, searched)
  for (let at = search(0); at >= 0; at = search(at + searched.length)) {
    context.work(1)
    yield at
  }
}

export const join = define({
  name: 'Join',
  category,
  parameters: [array('left'), text('right')],
  returns: 'string',
  about: 'Joins the elements of an array into one text, with another text between them.',
  body(context, left, right) {
    const parts: string[] = []
    let length = 0
    context.allocate(TEXT_BYTES)
    for (const item of left.items) {
      const part = toText(item, context.work)
      const added = part.length + (parts.length > 0 ? right.length : 0)
      requireLength((length += added))
      // The parts stay until they are joined.
      context.allocate(PLACE_BYTES + (typeof item === 'string' ? 0 : TEXT_BYTES) + UNIT_BYTES * added)
      countReading(added, context)
      parts.push(part)
    }
    return context.newText(parts.join(right))
  },
})

export const substring = define({
  name: 'Substring',
  category,
  parameters: [text('text'), number('start'), optional(number('length'))],
  returns: 'string',
  about: 'A part of a text: from a position, to the end or of a given length.',
  body(context, value, start, length) {
    const from = Math.max(0, toInteger(start, 'the start of Substring'))
    if (length === undefined) return context.text(partOfText(value, from))
    return context.text(
      partOfText(value, from, from + Math.max(0, toInteger(length, 'the length of Substring'))),
    )
  },
})

const MOST_WIDTH = 1_000_000

type Pad = (value: string, width: number, filler: string) => string

const padding = (name: string, side: string, pad: Pad) =>
  define({
    name,
    category,
    parameters: [text('text'), number('length'), optional(text('padChar'))],
    returns: 'string',
    about: `Pads a text on the ${side} to a width, with spaces unless another character is given.`,
    body(context, value, length, padChar = ' ') {
      const width = Math.trunc(length)
      if (width > MOST_WIDTH) {
        throw new ScriptFailure(
          'JM5702',
          `${name} pads to at most ${MOST_WIDTH} units, not to ${numberToText(width)}`,
        )
      }
      if (!(width >= 0)) {
        throw new ScriptFailure('JM5002', `${name} needs a width of at least 0, not ${numberToText(width)}`)
      }
      if (width <= value.length) return value
      countText(width, context)
      return context.newText(pad(value, width, padChar.charAt(0) || ' '))
    },
  })

export const padLeft = padding('PadLeft', 'left', (value, width, filler) => value.padStart(width, filler))
export const padRight = padding('PadRight', 'right', (value, width, filler) => value.padEnd(width, filler))
