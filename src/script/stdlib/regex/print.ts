/** Writes pattern trees in the syntax of RE2, with the letters of the pattern's alphabet. */
import type { Alphabet } from './alphabet.ts'
import { type Assertion, PatternFault, type PatternNode } from './syntax.ts'
import type { UnitSet } from './units.ts'

/** Far more than patterns of an allowed size need; negated sets of large alphabets are long. */
const MOST_UNITS = 500_000

export function printPattern(root: PatternNode, alphabet: Alphabet): string {
  const printed = new Map<UnitSet, string>()
  let length = 0
  const print = (node: PatternNode): string => {
    const text = printKind(node)
    if (node.kind === 'units') length += text.length
    if (length > MOST_UNITS) throw new PatternFault('The pattern distinguishes too many characters')
    return text
  }
  const printKind = (node: PatternNode): string => {
    switch (node.kind) {
      case 'units': {
        let letters = printed.get(node.units)
        if (letters === undefined) {
          printed.set(node.units, (letters = printLetters(alphabet.lettersOf(node.units))))
        }
        return letters
      }
      case 'sequence':
        return node.items.map(print).join('')
      case 'choice':
        return `(?:${node.options.map(print).join('|')})`
      case 'capture':
        return `(${print(node.inner)})`
      case 'repeat':
        return `(?:${print(node.inner)})${printCounts(node.least, node.most)}${node.lazy ? '?' : ''}`
      case 'assertion':
        return assertions[node.what]
    }
  }
  return print(root)
}

/** The alphabet makes the library's words and line feeds those of the language. */
const assertions: { readonly [A in Assertion]: string } = {
  'text-start': '\\A',
  'text-end': '\\z',
  'last-line-end': '(?m:$)',
  'line-start': '(?m:^)',
  'line-end': '(?m:$)',
  boundary: '\\b',
  'no-boundary': '\\B',
  // The caller checks that the match begins where the search did.
  'search-start': '',
}

function printLetters(letters: UnitSet): string {
  if (letters.length === 0) return '[^\\x{0}-\\x{10FFFF}]'
  if (letters.length === 2 && letters[0] === letters[1]) return printLetter(letters[0] as number)
  let text = '['
  for (let i = 0; i < letters.length; i += 2) {
    text += `${printLetter(letters[i] as number)}-${printLetter(letters[i + 1] as number)}`
  }
  return `${text}]`
}

const printLetter = (letter: number): string => `\\x{${letter.toString(16)}}`

function printCounts(least: number, most: number): string {
  if (most !== Number.POSITIVE_INFINITY) return `{${least},${most}}`
  return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`
}
