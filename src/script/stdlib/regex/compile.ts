/** Compiles patterns: reads them, rewrites them for a library that matches in linear time, and caches the programs. */
import { LRUCache } from 'lru-cache'
import { RE2JS, RE2JSException } from 're2js'
import { type Alphabet, type AlphabetNeeds, makeAlphabet } from './alphabet.ts'
import { checkSize } from './measure.ts'
import { parsePattern } from './parse.ts'
import { printPattern } from './print.ts'
import { type Assertion, PatternFault, type PatternNode, type PatternTree } from './syntax.ts'
import type { UnitSet } from './units.ts'

export type CompiledPattern = {
  readonly program: RE2JS
  /** Number of instructions: the time of a match grows with them and with the text. */
  readonly size: number
  readonly alphabet: Alphabet
  /** The number in the program of each group, in the order of the language (groups without a name first). */
  readonly groups: readonly number[]
  /** Whether it begins with `\G`: then a match counts only where the search began. */
  readonly atSearchStart: boolean
}

const MOST_UNITS = 5000

const kept = new LRUCache<string, CompiledPattern>({ max: 64 })

/** @throws PatternFault */
export function compilePattern(pattern: string): CompiledPattern {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  if (pattern.length > MOST_UNITS)
    throw new PatternFault(`The pattern is longer than ${MOST_UNITS} characters`)
  const compiled = compile(parsePattern(pattern))
  kept.set(pattern, compiled)
  return compiled
}

/** A program whose states take more bytes is dropped from the cache after use: a state may take a hundred bytes or ten thousand. */
const MOST_STATE_BYTES_KEPT = 2 ** 18

/** A program with more instructions times groups frees its memory for searches after use. */
const MOST_PLACES_KEPT = 20_000

/** Releases the memory of a program if that is much. To be called after each use. */
export function releasePattern(pattern: string, { program, size, groups }: CompiledPattern): void {
  if (size * (groups.length + 1) > MOST_PLACES_KEPT) program.reset()
  if (stateBytes(program) > MOST_STATE_BYTES_KEPT) kept.delete(pattern)
}

/** What the library estimates for the states that searches have met. */
function stateBytes(program: RE2JS): number {
  const { lazyDFA } = program.re2()
  return lazyDFA === null ? 0 : lazyDFA.stateBudget - lazyDFA.memBudget
}

function compile({ root, groupNames }: PatternTree): CompiledPattern {
  checkSize(root)
  const atSearchStart = beginsAtSearchStart(root)
  const { sets, asserted } = partsOf(root)
  if (asserted.filter((what) => what === 'search-start').length > (atSearchStart ? 1 : 0)) {
    throw new PatternFault("'\\G' is supported as the beginning of the whole pattern only")
  }
  const alphabet = makeAlphabet(sets, needsOf(asserted))
  const program = compileProgram(printPattern(root, alphabet))
  return {
    program,
    size: program.programSize(),
    alphabet,
    groups: groupOrder(groupNames),
    atSearchStart,
  }
}

function compileProgram(text: string): RE2JS {
  try {
    return RE2JS.compile(text)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new PatternFault('The pattern is too large, or repeats something too often')
  }
}

function beginsAtSearchStart(root: PatternNode): boolean {
  const first = root.kind === 'sequence' ? root.items[0] : root
  return first?.kind === 'assertion' && first.what === 'search-start'
}

function needsOf(asserted: readonly Assertion[]): AlphabetNeeds {
  const boundaries = asserted.includes('boundary') || asserted.includes('no-boundary')
  const lines = asserted.includes('line-start') || asserted.includes('line-end')
  const last = asserted.includes('last-line-end')
  if (lines && last) {
    throw new PatternFault(
      "'^' or '$' for every line is not supported together with '$' or '\\Z' for the last one",
    )
  }
  return { boundaries, lines: lines ? 'all' : last ? 'last' : 'none' }
}

type Parts = { readonly sets: readonly UnitSet[]; readonly asserted: readonly Assertion[] }

/** The different sets in a pattern, and its assertions. */
function partsOf(root: PatternNode): Parts {
  const sets = new Map<string, UnitSet>()
  const seen = new Set<UnitSet>()
  const asserted: Assertion[] = []
  const visit = (node: PatternNode): void => {
    if (node.kind === 'units') {
      if (seen.has(node.units)) return
      seen.add(node.units)
      sets.set(node.units.join(), node.units)
    } else if (node.kind === 'assertion') asserted.push(node.what)
    else if (node.kind === 'sequence') node.items.forEach(visit)
    else if (node.kind === 'choice') node.options.forEach(visit)
    else visit(node.inner)
  }
  visit(root)
  return { sets: [...sets.values()], asserted }
}

/** Named groups come after all others. */
const groupOrder = (names: readonly (string | null)[]): readonly number[] => [
  ...names.flatMap((name, i) => (name === null ? [i + 1] : [])),
  ...names.flatMap((name, i) => (name === null ? [] : [i + 1])),
]
