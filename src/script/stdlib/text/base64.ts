/** Texts as base64 of their UTF-8 bytes, and back (language reference, 10.5). */
import { ScriptFailure } from '../../failure.ts'
import { define, text } from '../definition.ts'
import { countReading, countText } from './cost.ts'

const category = 'Utilities'

export const base64Encode = define({
  name: 'Base64Encode',
  category,
  parameters: [text('value')],
  returns: 'string',
  about: 'Writes the UTF-8 bytes of a text in base64, with padding.',
  body(context, value) {
    countText(4 * Math.ceil(Buffer.byteLength(value) / 3), context)
    return context.newText(Buffer.from(value).toString('base64'))
  },
})

export const base64Decode = define({
  name: 'Base64Decode',
  category,
  parameters: [text('value')],
  returns: 'string',
  about: 'Reads base64 as the UTF-8 bytes of a text, ignoring white space.',
  body(context, value) {
    countReading(value.length, context)
    const digits = withoutBlanks(value)
    const wrong = faultOf(digits)
    if (wrong !== null) throw new ScriptFailure('JM5908', `Base64Decode: the text ${wrong}`)
    countText((digits.length / 4) * 3, context)
    return context.newText(Buffer.from(digits, 'base64').toString('utf8'))
  },
})

/** .NET ignores these four characters and no other white space. */
const withoutBlanks = (value: string): string => value.replaceAll(/[ \t\r\n]/g, '')

/** JavaScript skips characters that are not base64; here they are an error. Null if the text is right. */
function faultOf(digits: string): string | null {
  if (digits.length % 4 !== 0) return 'is not padded to a multiple of four characters'
  const padding = digits.endsWith('==') ? 2 : digits.endsWith('=') ? 1 : 0
  for (let i = 0; i < digits.length - padding; i++) {
    if (!isDigit(digits.charCodeAt(i)))
      return `has no base64 digit as character ${i + 1} (without white space)`
  }
  return null
}

const isDigit = (unit: number): boolean =>
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x2b ||
  unit === 0x2f
