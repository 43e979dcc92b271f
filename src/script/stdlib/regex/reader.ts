/** A place in a pattern, and the options that hold there. Shared by the parser's parts. */
import { PatternFault } from './syntax.ts'

export type PatternOptions = {
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly singleline: boolean
  /** Groups without a name do not capture. */
  readonly explicitCapture: boolean
  /** Blanks and `#` comments in the pattern do not count. */
  readonly ignoreBlanks: boolean
}

const noOptions: PatternOptions = {
  ignoreCase: false,
  multiline: false,
  singleline: false,
  explicitCapture: false,
  ignoreBlanks: false,
}

/** Sets of characters are worked out unit by unit or range by range; so much of that takes some 50 milliseconds. */
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

  /** Goes past a text if it stands here. */
  take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  /** @throws PatternFault where a pattern is made to take long */
  spend(effort: number): void {
    this.#effort += effort
    if (this.#effort > MOST_EFFORT) throw this.refusal('The pattern has too many large sets of characters')
  }

  /** The pattern is wrong. */
  fault(what: string, at = this.at): PatternFault {
    return new PatternFault(`${what} (character ${at + 1})`, true)
  }

  /** The pattern is right, but cannot be given exactly its meaning. */
  refusal(what: string, at = this.at): PatternFault {
    return new PatternFault(`${what} (character ${at + 1})`)
  }
}
