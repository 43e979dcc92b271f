/**
 * Whether a text contains, begins with or ends with a literal, as SQL. A script can cut a character into the two halves of its
 * pair; such a half is found in every text with a character that has it.
 */
import type { TextFunction } from '../../query/ast.ts'
import type { Parameters } from './parameters.ts'
import { isWritable } from './places.ts'

export function matchText(text: string, test: TextFunction, literal: string, parameters: Parameters): string {
  const [any, behind] = [test === 'startswith' ? '' : '%', test === 'endswith' ? '' : '%']
  if (isWritable(literal)) {
    return `${text} like ${parameters.add(any + literal.replace(/[\\%_]/g, '\\$&') + behind, 'text')}`
  }
  const pattern = patternOf(test, literal)
  return pattern === null ? 'false' : `${text} ~ ${parameters.add(pattern, 'text')}`
}

/** Null when no text of a database can match. */
function patternOf(test: TextFunction, literal: string): string | null {
  const [, second = '', middle = '', first = ''] = HALVES.exec(literal) ?? []
  if (second + middle + first !== literal || !isWritable(middle)) return null
  // A text of whole characters neither begins with a second half nor ends with a first half.
  if ((test === 'startswith' && second !== '') || (test === 'endswith' && first !== '')) return null
  const escaped = middle.replace(/[^\p{L}\p{N}]/gu, '\\$&')
  const pattern = charactersEndingWith(second) + escaped + charactersBeginningWith(first)
  return `${test === 'startswith' ? '^' : ''}${pattern}${test === 'endswith' ? '$' : ''}`
}

const HALVES = /^([\udc00-\udfff]?)(.*?)([\ud800-\udbff]?)$/s

const charactersBeginningWith = (half: string): string => (half === '' ? '' : `[${half}\udc00-${half}\udfff]`)

function charactersEndingWith(half: string): string {
  if (half === '') return ''
  let characters = ''
  for (let first = 0xd800; first <= 0xdbff; first++) characters += String.fromCharCode(first) + half
  return `[${characters}]`
}
