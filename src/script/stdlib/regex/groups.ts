/** Reads the beginnings and names of groups, and the options and comments that are written like groups. */

import { wordUnits } from './categories.ts'
import type { PatternOptions, PatternReader } from './reader.ts'
import { hasUnit } from './units.ts'

/** A group that captures, one that does not, or options for what follows, which do not make a group. */
type GroupHead = 'capturing' | 'plain' | 'options'

/** Beginnings of groups that linear-time matching does not support, longest first. */
const refused: readonly (readonly [start: string, name: string])[] = [
  ['?<=', 'look-behind'],
  ['?<!', 'negative look-behind'],
  ['?=', 'look-ahead'],
  ['?!', 'negative look-ahead'],
  ['?>', 'atomic group'],
  ['?(', 'conditional'],
]

/** The reader is behind the opening parenthesis; comments are already skipped. */
export function readGroupHead(reader: PatternReader): GroupHead {
  for (const [start, name] of refused) {
    if (!reader.take(start)) continue
    throw reader.refusal(`The ${name} '(${start}' is not supported`, reader.at - start.length - 1)
  }
  if (reader.peek() !== '?') {
    if (reader.options.explicitCapture) return 'plain'
    reader.groupNames.push(null)
    return 'capturing'
  }
  reader.at++
  if (reader.take('<')) return readName(reader, '>')
  if (reader.take("'")) return readName(reader, "'")
  return readOptions(reader)
}

function readName(reader: PatternReader, close: string): GroupHead {
  const start = reader.at
  while (!reader.atEnd && hasUnit(wordUnits(), reader.peek().charCodeAt(0))) reader.at++
  const name = reader.pattern.slice(start, reader.at)
  if (reader.peek() === '-') throw reader.refusal('Balancing groups are not supported')
  if (name === '' || !reader.take(close)) throw reader.fault('The name of a group is not one word', start)
  if (/^\d/.test(name))
    throw reader.refusal(`Groups with a number for a name ('${name}') are not supported`, start)
  if (reader.groupNames.includes(name)) {
    throw reader.refusal(`Two groups with the name '${name}' are not supported`, start)
  }
  reader.groupNames.push(name)
  return 'capturing'
}

const optionLetters = new Map<string, keyof PatternOptions>([
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'singleline'],
  ['n', 'explicitCapture'],
  ['x', 'ignoreBlanks'],
])

/** `(?i)` sets options for the rest of the group around it, `(?i:…)` for what is inside. */
function readOptions(reader: PatternReader): GroupHead {
  const options = { ...reader.options }
  let on = true
  for (;;) {
    const letter = reader.next()
    if (letter === ')' || letter === ':') {
      reader.options = options
      return letter === ')' ? 'options' : 'plain'
    }
    const option = optionLetters.get(letter.toLowerCase())
    if (option !== undefined) options[option] = on
    else if (letter === '-' || letter === '+') on = letter === '+'
    else throw reader.fault(`'(?' is not followed by a known kind of group or option`, reader.at - 1)
  }
}

/** Skips `(?#comments)` and, with the option to ignore blanks, blanks and `#` comments to the end of the line. */
export function skipBlanks(reader: PatternReader): void {
  for (;;) {
    if (reader.take('(?#')) {
      const end = reader.pattern.indexOf(')', reader.at)
      if (end < 0) throw reader.fault('A comment is not closed')
      reader.at = end + 1
    } else if (reader.options.ignoreBlanks && reader.peek() === '#') {
      const end = reader.pattern.indexOf('\n', reader.at)
      reader.at = end < 0 ? reader.pattern.length : end + 1
    } else if (reader.options.ignoreBlanks && isPatternBlank(reader.peek())) reader.at++
    else return
  }
}

/** A vertical tab is not a blank of a pattern. */
const isPatternBlank = (letter: string): boolean =>
  letter === ' ' || letter === '\t' || letter === '\n' || letter === '\f' || letter === '\r'
