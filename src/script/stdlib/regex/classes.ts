/**
 * class = "[" [ "^" ] item { item } [ "-" class ] "]"
 * item  = unit [ "-" unit ] | "\d" and the like
 *
 * `]` as the first item is that character. The class after `-[` is subtracted and must come last: `[a-z-[aeiou]]`.
 */
import { withOtherCases } from './case.ts'
import { readNamedSet, readUnitEscape } from './escapes.ts'
import type { PatternReader } from './reader.ts'
import { complement, sizeOf, type UnitSet, unite, without } from './units.ts'

const MOST_LEVELS = 50

/** The reader is behind the opening bracket. */
export function readClass(reader: PatternReader, level = 1): UnitSet {
  if (level > MOST_LEVELS) throw reader.refusal('Character classes are nested too deeply')
  const opened = reader.at - 1
  const negated = reader.take('^')
  const units: UnitSet[] = []
  const named: UnitSet[] = []
  let removed: UnitSet | null = null
  for (let first = true; ; first = false) {
    if (reader.atEnd) throw reader.fault("A '[' is not closed", opened)
    if (reader.peek() === ']' && !first) break
    if (removed !== null)
      throw reader.fault('The class that is subtracted from a character class must come last')
    const escaped = reader.peek() === '\\'
    const item = readItem(reader)
    if (typeof item !== 'number') {
      named.push(item)
    } else if (item === DASH && reader.pattern.startsWith('\\-', reader.at - 2)) {
      // Unlike any other unit, an escaped dash never begins a range.
      units.push([DASH, DASH])
    } else if (reader.peek() === '-' && reader.peek(1) !== ']' && reader.peek(1) !== '') {
      reader.at++
      if (reader.peek() === '[') {
        units.push([item, item])
        reader.at++
        removed = readClass(reader, level + 1)
      } else units.push(readRangeEnd(reader, item))
    } else if (item === DASH && !escaped && !first && reader.peek() === '[') {
      reader.at++
      removed = readClass(reader, level + 1)
    } else units.push([item, item])
  }
  reader.at++
  const listed = unite(...units)
  for (const set of [listed, ...named]) reader.spend(set.length)
  if (reader.options.ignoreCase) reader.spend(sizeOf(listed))
  const all = unite(reader.options.ignoreCase ? withOtherCases(listed) : listed, ...named)
  const kept = negated ? complement(all) : all
  return removed === null ? kept : without(kept, removed)
}

const DASH = 0x2d

function readItem(reader: PatternReader): number | UnitSet {
  if (reader.peek() === '[' && reader.peek(1) === ':') {
    throw reader.refusal("'[:' in a character class is not supported; write '\\[:'")
  }
  if (!reader.take('\\')) return reader.next().charCodeAt(0)
  const named = readNamedSet(reader)
  if (named !== null) return named
  if (reader.take('b')) return 0x08
  return readUnitEscape(reader)
}

function readRangeEnd(reader: PatternReader, from: number): UnitSet {
  const start = reader.at
  const to = readItem(reader)
  if (typeof to !== 'number') throw reader.fault('A range of characters cannot end in a set', start)
  if (to < from) throw reader.fault('A range of characters ends before it begins', start)
  return [from, to]
}
