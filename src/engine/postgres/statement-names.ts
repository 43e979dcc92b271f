/**
 * Names of prepared statements. A statement with a name is parsed once per connection, and the server may keep its plan. The
 * server keeps every named statement as long as the connection lasts, so only the first ones of a period get a name, and the
 * connections do not last longer than a period.
 */
import { hash } from 'node:crypto'

/** How long a connection and the names on it last. */
export const PERIOD_SECONDS = 600

const MOST_NAMES = 100

export class StatementNames {
  readonly #now: () => number
  #names = new Map<string, string>()
  #endMs = 0

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Undefined when the statement is to be parsed each time. */
  nameOf(text: string): string | undefined {
    const now = this.#now()
    if (now >= this.#endMs) {
      this.#names = new Map()
      this.#endMs = now + 1000 * PERIOD_SECONDS
    }
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size === MOST_NAMES) return known
    const name = hash('sha256', text, 'hex').slice(0, 32)
    this.#names.set(text, name)
    return name
  }
}
