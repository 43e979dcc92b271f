/** Random texts and identifiers, from the secure source of the computer. */
import { randomFillSync, randomUUID } from 'node:crypto'
import { ScriptFailure } from '../../failure.ts'
import { numberToText } from '../../values/number-text.ts'
import { define, type NativeContext, number, optional, text } from '../definition.ts'
import { countText } from './cost.ts'

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Units that are made between two looks at the clock. */
const CHUNK = 8192

export const randomString = define({
  name: 'RandomString',
  category: 'Text',
  parameters: [number('length'), optional(text('characterSet'))],
  returns: 'string',
  about: 'A text of random characters: letters and digits unless another set is given.',
  body(context, length, characterSet = lettersAndDigits) {
    if (!Number.isInteger(length) || length < 0) {
      const told = numberToText(length)
      throw new ScriptFailure('JM5907', `RandomString needs an integer of at least 0 as length, not ${told}`)
    }
    if (characterSet === '') throw new ScriptFailure('JM5703', 'RandomString needs at least one character')
    countText(length, context)
    const parts: string[] = []
    for (let left = length; left > 0; left -= CHUNK) {
      parts.push(randomUnits(Math.min(left, CHUNK), characterSet, context))
    }
    return context.newText(parts.join(''))
  },
})

function randomUnits(length: number, characterSet: string, context: NativeContext): string {
  context.work(length)
  const size = characterSet.length
  /** Random numbers from here on are drawn again, because they would favour the first characters. */
  const bound = 2 ** 32 - (2 ** 32 % size)
  const drawn = new Uint32Array(length)
  const units = new Uint16Array(length)
  for (let made = 0; made < length; ) {
    randomFillSync(drawn)
    for (const value of drawn) {
      if (value >= bound) continue
      if (made === length) break
      units[made++] = characterSet.charCodeAt(value % size)
    }
  }
  return String.fromCharCode(...units)
}

export const newGuid = define({
  name: 'NewGuid',
  category: 'Utilities',
  parameters: [],
  returns: 'string',
  about: 'A random identifier (UUID of version 4) in lower case with hyphens.',
  body: (context) => context.text(randomUUID()),
})
