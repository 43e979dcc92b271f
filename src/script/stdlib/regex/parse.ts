/**
 * Reads patterns as .NET does with its default options (language reference, 10.1). Refuses by name what linear-time matching
 * cannot do or might match differently.
 *
 * choice   = sequence { "|" sequence }
 * sequence = { item [ quantifier ] }
 * item     = unit | "." | class | escape | "^" | "$" | group
 */

import { withOtherCases } from './case.ts'
import { readClass } from './classes.ts'
import { readNamedSet, readUnitEscape } from './escapes.ts'
import { readGroupHead, skipBlanks } from './groups.ts'
import { atQuantifier, readQuantifier } from './quantifiers.ts'
import { PatternReader } from './reader.ts'
import type { Assertion, PatternNode, PatternTree } from './syntax.ts'
import { complement, everyUnit } from './units.ts'

const MOST_LEVELS = 100

/** @throws PatternFault */
export function parsePattern(pattern: string): PatternTree {
  const reader = new PatternReader(pattern)
  const root = readChoice(reader)
  if (!reader.atEnd) throw reader.fault("A ')' closes nothing")
  return { root, groupNames: reader.groupNames }
}

/** Options set inside apply up to its end, also in later alternatives. */
function readChoice(reader: PatternReader): PatternNode {
  if (++reader.depth > MOST_LEVELS) throw reader.refusal('Groups are nested too deeply')
  const { options } = reader
  const choices = [readSequence(reader)]
  while (reader.take('|')) choices.push(readSequence(reader))
  reader.options = options
  reader.depth--
  return choices.length === 1 ? (choices[0] as PatternNode) : { kind: 'choice', options: choices }
}

function readSequence(reader: PatternReader): PatternNode {
  const items: PatternNode[] = []
  for (;;) {
    skipBlanks(reader)
    if (reader.atEnd || reader.peek() === '|' || reader.peek() === ')') break
    const item = readItem(reader)
    if (item === null) continue
    skipBlanks(reader)
    items.push(atQuantifier(reader) ? readQuantifier(reader, item) : item)
  }
  return items.length === 1 ? (items[0] as PatternNode) : { kind: 'sequence', items }
}

/** Returns null for an item that only sets options. */
function readItem(reader: PatternReader): PatternNode | null {
  if (atQuantifier(reader)) throw reader.fault(`There is nothing that '${reader.peek()}' could repeat`)
  const letter = reader.next()
  switch (letter) {
    case '(':
      return readGroup(reader)
    case '[':
      return { kind: 'units', units: readClass(reader) }
    case '\\':
      return readEscape(reader)
    case '.':
      return {
        kind: 'units',
        units: reader.options.singleline ? everyUnit : complement([LINE_FEED, LINE_FEED]),
      }
    case '^':
      return assertion(reader.options.multiline ? 'line-start' : 'text-start')
    case '$':
      return assertion(reader.options.multiline ? 'line-end' : 'last-line-end')
  }
  return unitNode(reader, letter.charCodeAt(0))
}

const LINE_FEED = 0x0a

function readGroup(reader: PatternReader): PatternNode | null {
  const opened = reader.at - 1
  const outside = reader.options
  const group = readGroupHead(reader)
  if (group === 'options') return null
  const inner = readChoice(reader)
  reader.options = outside
  if (!reader.take(')')) throw reader.fault("A '(' is not closed", opened)
  return group === 'capturing' ? { kind: 'capture', inner } : inner
}

const assertionEscapes = new Map<string, Assertion>([
  ['A', 'text-start'],
  ['Z', 'last-line-end'],
  ['z', 'text-end'],
  ['b', 'boundary'],
  ['B', 'no-boundary'],
  ['G', 'search-start'],
])

function readEscape(reader: PatternReader): PatternNode {
  const letter = reader.peek()
  const asserted = assertionEscapes.get(letter)
  if (asserted !== undefined) {
    reader.at++
    return assertion(asserted)
  }
  if ((letter >= '1' && letter <= '9') || letter === 'k') {
    throw reader.refusal(`The back-reference '\\${letter}' is not supported`, reader.at - 1)
  }
  const units = readNamedSet(reader)
  return units === null ? unitNode(reader, readUnitEscape(reader)) : { kind: 'units', units }
}

const assertion = (what: Assertion): PatternNode => ({ kind: 'assertion', what })

const unitNode = (reader: PatternReader, unit: number): PatternNode => ({
  kind: 'units',
  units: reader.options.ignoreCase ? withOtherCases([unit, unit]) : [unit, unit],
})
