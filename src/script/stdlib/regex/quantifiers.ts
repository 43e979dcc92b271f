/** quantifier = ( "*" | "+" | "?" | "{" n [ "," [ m ] ] "}" ) [ "?" ] ; any other brace is a plain character. */
import { skipBlanks } from './groups.ts'
import type { PatternReader } from './reader.ts'
import type { PatternNode } from './syntax.ts'

/** Limit of a count, because matching expands counted repetitions. */
const MOST_REPETITIONS = 1000

const counted = /\{(\d+)(,(\d*))?\}/y

export function atQuantifier(reader: PatternReader): boolean {
  const letter = reader.peek()
  if (letter === '*' || letter === '+' || letter === '?') return true
  if (letter !== '{') return false
  counted.lastIndex = reader.at
  return counted.test(reader.pattern)
}

/** @throws PatternFault for counts that are too large, and for two quantifiers in a row */
export function readQuantifier(reader: PatternReader, inner: PatternNode): PatternNode {
  const { least, most } = readCounts(reader)
  skipBlanks(reader)
  const lazy = reader.take('?')
  skipBlanks(reader)
  if (atQuantifier(reader)) throw reader.fault(`'${reader.peek()}' follows another quantifier`)
  return { kind: 'repeat', inner, least, most, lazy }
}

type Counts = { readonly least: number; readonly most: number }

function readCounts(reader: PatternReader): Counts {
  if (reader.take('*')) return { least: 0, most: Number.POSITIVE_INFINITY }
  if (reader.take('+')) return { least: 1, most: Number.POSITIVE_INFINITY }
  if (reader.take('?')) return { least: 0, most: 1 }
  counted.lastIndex = reader.at
  const [text, first, rest, second] = counted.exec(reader.pattern) as RegExpExecArray
  const least = Number(first)
  const most = rest === undefined ? least : second === '' ? Number.POSITIVE_INFINITY : Number(second)
  if (least > MOST_REPETITIONS || (most > MOST_REPETITIONS && most !== Number.POSITIVE_INFINITY)) {
    throw reader.refusal(`'${text.slice(0, 40)}' asks for more than ${MOST_REPETITIONS} repetitions`)
  }
  if (most < least) throw reader.fault(`'${text}' has a maximum below its minimum`)
  reader.at += text.length
  return { least, most }
}
