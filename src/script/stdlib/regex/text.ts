/**
 * A text for the matching library, which reads it unit by unit in the letters of the pattern's alphabet. Each reading is
 * counted, so every search that takes too long can be ended in the middle.
 */
import { MatcherInput } from 're2js'
import { ScriptFailure } from '../../failure.ts'
import type { NativeContext } from '../definition.ts'
import { type Search, searchByUnit, type Units } from '../text/search.ts'
import { LINE_FEED } from './alphabet.ts'
import type { CompiledPattern } from './compile.ts'

/** Limit of a search. A step takes about seven nanoseconds, all of them about 100 milliseconds. */
const MOST_STEPS = 15_000_000

/** Steps between two looks at the clock. */
const STEPS_AT_A_TIME = 100_000

/** Steps that a search counts besides its readings. */
const SEARCH_STEPS = 100

/**
 * Small searches: the library backtracks with a memory of instructions times places of the text, and reads at most once for each
 * of these. In larger searches a reading can cost one step for every instruction.
 */
const SMALL_SEARCH = 262_144
const SMALL_PROGRAM = 500

export class CountedText {
  readonly length: number
  readonly #text: string
  readonly #native: string
  readonly #context: NativeContext
  readonly #letters: Uint16Array
  /** Place of the line feed that ends the text; negative if there is none or it does not matter. */
  readonly #lastLineFeed: number
  readonly #stepsPerReading: number
  readonly #readingsAtATime: number
  #readingsLeft: number
  #steps = 0
  readonly #uncounted: Units
  readonly #searches = new Map<string, Search>()

  constructor(text: string, { alphabet, size }: CompiledPattern, native: string, context: NativeContext) {
    this.length = text.length
    this.#text = text
    this.#native = native
    this.#context = context
    this.#letters = alphabet.letters
    this.#lastLineFeed = alphabet.marksLastLine && text.endsWith('\n') ? text.length - 1 : -1
    const small = size <= SMALL_PROGRAM && size * (text.length + 1) <= SMALL_SEARCH
    this.#stepsPerReading = small ? 1 : size
    this.#readingsAtATime = Math.max(1, Math.floor(STEPS_AT_A_TIME / this.#stepsPerReading))
    this.#readingsLeft = this.#readingsAtATime
    this.#uncounted = { length: text.length, charCodeAt: (at) => this.#letterAt(at) }
  }

  /** The library accepts any object that calls itself a string. */
  get [Symbol.toStringTag](): string {
    return 'String'
  }

  charCodeAt(at: number): number {
    if (--this.#readingsLeft < 0) {
      this.#count(this.#readingsAtATime * this.#stepsPerReading)
      this.#readingsLeft = this.#readingsAtATime
    }
    return this.#letterAt(at)
  }

  /** Called by the library for texts that every match must contain. */
  indexOf(searched: string, from: number): number {
    if (searched === '') return from
    let search = this.#searches.get(searched)
    if (search === undefined) this.#searches.set(searched, (search = searchByUnit(this.#uncounted, searched)))
    const found = search(from)
    this.#count(Math.ceil(((found < 0 ? this.length : found) - from + searched.length) / 2))
    return found
  }

  countSearch(): void {
    this.#count(SEARCH_STEPS)
  }

  /** Converts the type for the library, which accepts more than it declares. */
  asInput(): ReturnType<typeof MatcherInput.utf16> {
    return MatcherInput.utf16(this)
  }

  asString(): string {
    return this as unknown as string
  }

  #letterAt(at: number): number {
    return at === this.#lastLineFeed ? LINE_FEED : (this.#letters[this.#text.charCodeAt(at)] as number)
  }

  #count(steps: number): void {
    this.#steps += steps
    this.#context.work(Math.ceil(steps / 100))
    if (this.#steps <= MOST_STEPS) return
    throw new ScriptFailure(
      'JM5700',
      `${this.#native}: a text of ${this.length} characters is too long for such a pattern; use a simpler pattern or a shorter text`,
    )
  }
}
