/** A place in a pattern and the options that apply there, shared by all parts of the parser. */
import { PatternFault } from './syntax.ts'

export type PatternOptions = {
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly singleline: boolean
  /** Groups without a name do not capture. */
  readonly explicitCapture: boolean
  /** Blanks and `#` comments in the pattern are ignored. */
  readonly ignoreBlanks: boolean
}

const noOptions: PatternOptions = {
  ignoreCase: false,
  multiline: false,
  singleline: false,
  explicitCapture: false,
  ignoreBlanks: false,
}

/** Units or ranges that may be computed for sets of characters: about 50 milliseconds of work. */
const MOST_EFFORT = 2_000_000

export class PatternReader {
  readonly pattern: string
  at = 0
  options = noOptions
  depth = 0
  readonly groupNames: (string | null)[] = []
  #effort = 0

  constructor(pattern: string) {
    this.pattern = pattern
  }

  get atEnd(): boolean {
    return this.at >= this.pattern.length
  }

  /** The next character; empty at the end. */
  peek(offset = 0): string {
    return this.pattern.charAt(this.at + offset)
  }

  next(): string {
    return this.pattern.charAt(this.at++)
  }

  /** Consumes a text if it comes next. */
  take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  /** @throws PatternFault for a pattern that takes too long to read */
  spend(effort: number): void {
    this.#effort += effort
    if (this.#effort > MOST_EFFORT) throw this.refusal('The pattern has too many large sets of characters')
  }

  /** The pattern is wrong. */
  fault(what: string, at = this.at): PatternFault {
    return new PatternFault(`${what} (character ${at + 1})`, true)
  }

  /** The pattern is right, but cannot be matched exactly as it should. */
  refusal(what: string, at = this.at): PatternFault {
    return new PatternFault(`${what} (character ${at + 1})`)
  }
}
