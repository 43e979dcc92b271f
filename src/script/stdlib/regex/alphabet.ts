/**
 * A pattern distinguishes units only by the sets that it names. Units that are in the same sets become one letter of a small
 * alphabet, and the pattern and the text are rewritten in it. So the rules of the language, and not those of the matching
 * library, decide what is a letter, a blank, a word boundary or the other case of a letter. Every unit becomes one letter that
 * is not a surrogate, so places in the rewritten text are places in the text.
 */
import { boundaryWordUnits } from './categories.ts'
import { PatternFault } from './syntax.ts'
import { hasUnit, LAST_UNIT, type UnitSet } from './units.ts'

/** What else in a text matters to the assertions of a pattern. */
export type AlphabetNeeds = {
  /** Whether it has `\b` or `\B`, for which the library knows ASCII words only. */
  readonly boundaries: boolean
  /** Which line feeds end a line for the library: for `$` only one at the very end of the text. */
  readonly lines: 'none' | 'all' | 'last'
}

export type Alphabet = {
  /** The letter of each unit. */
  readonly letters: Uint16Array
  /** The letters that a set consists of, as ranges. */
  readonly lettersOf: (units: UnitSet) => UnitSet
  /** Whether a line feed at the end of the text is {@link LINE_FEED} instead of its letter. */
  readonly marksLastLine: boolean
}

export const LINE_FEED = 0x0a

const lineFeed: UnitSet = [LINE_FEED, LINE_FEED]

/** Bound of the work for the classes, which depends on the number of sets and of their ranges. */
const MOST_STEPS = 1_000_000

/** @throws PatternFault if the different sets take too much work */
export function makeAlphabet(sets: readonly UnitSet[], { boundaries, lines }: AlphabetNeeds): Alphabet {
  const told = [...sets]
  if (boundaries) told.push(boundaryWordUnits())
  if (lines !== 'none') told.push(lineFeed)
  const cells = cellsOf(told)
  const letterOfClass = new Map<number, number>()
  const wordLetters = boundaries ? lettersOfWords() : null
  let nextLetter = FIRST_LETTER
  const letters = new Uint16Array(LAST_UNIT + 1)
  const cellLetters = cells.starts.map((start, i) => {
    const kind = cells.classes[i] as number
    let letter = letterOfClass.get(kind)
    if (letter === undefined) {
      if (lines === 'all' && start === LINE_FEED) letter = LINE_FEED
      else if (wordLetters !== null && hasUnit(boundaryWordUnits(), start)) letter = wordLetters()
      else letter = nextLetter++
      letterOfClass.set(kind, letter)
    }
    letters.fill(letter, start, cells.starts[i + 1] ?? LAST_UNIT + 1)
    return letter
  })
  const marksLastLine = lines === 'last'
  return {
    letters,
    marksLastLine,
    lettersOf: (units) => {
      const found = new Set<number>()
      forCells(cells.starts, units, (i) => found.add(cellLetters[i] as number))
      if (marksLastLine && hasUnit(units, LINE_FEED)) found.add(LINE_FEED)
      return asRanges([...found])
    },
  }
}

/** First of the letters without a meaning of their own; there are fewer classes than units below the surrogates. */
const FIRST_LETTER = 0x100

/** Letters for units of words: only those that the library regards as parts of words. */
function lettersOfWords(): () => number {
  const left = [...'zyxwvutsrqponmlkjihgfedcba_ZYXWVUTSRQPONMLKJIHGFEDCBA9876543210']
  return () => {
    const letter = left.pop()
    if (letter === undefined) {
      throw new PatternFault("The pattern distinguishes too many letters for '\\b' and '\\B'")
    }
    return letter.charCodeAt(0)
  }
}

/** Cells are stretches of units in which no set begins or ends. Cells that are in the same sets have the same class. */
type Cells = { readonly starts: readonly number[]; readonly classes: readonly number[] }

function cellsOf(sets: readonly UnitSet[]): Cells {
  const edges = new Set([0])
  for (const set of sets) {
    for (let i = 0; i < set.length; i += 2) edges.add(set[i] as number).add((set[i + 1] as number) + 1)
  }
  edges.delete(LAST_UNIT + 1)
  const starts = [...edges].sort((a, b) => a - b)
  const classes: number[] = starts.map(() => 0)
  let nextClass = 1
  let steps = 0
  for (const set of sets) {
    /** The new class for each old class of the cells in the set. */
    const split = new Map<number, number>()
    forCells(starts, set, (i) => {
      if (++steps > MOST_STEPS)
        throw new PatternFault('The pattern distinguishes too many sets of characters')
      const before = classes[i] as number
      let after = split.get(before)
      if (after === undefined) split.set(before, (after = nextClass++))
      classes[i] = after
    })
  }
  return { starts, classes }
}

function forCells(starts: readonly number[], set: UnitSet, visit: (cell: number) => void): void {
  for (let i = 0; i < set.length; i += 2) {
    const last = set[i + 1] as number
    for (let cell = cellAt(starts, set[i] as number); cell < starts.length; cell++) {
      if ((starts[cell] as number) > last) break
      visit(cell)
    }
  }
}

/** The cell that begins at this unit. */
function cellAt(starts: readonly number[], unit: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) < unit) low = middle + 1
    else high = middle
  }
  return low
}

function asRanges(letters: number[]): UnitSet {
  letters.sort((a, b) => a - b)
  const ranges: number[] = []
  for (const letter of letters) {
    if (ranges.length > 0 && ranges[ranges.length - 1] === letter - 1) ranges[ranges.length - 1] = letter
    else ranges.push(letter, letter)
  }
  return ranges
}
