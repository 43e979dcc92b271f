/**
 * A query of the driver for statements that answer with one row of known columns. It does not ask what the columns are, and
 * gets their values as bytes.
 */
import type { Connection, Submittable } from 'pg'
import { framesOf, type RawRow, type RowFrames } from './row-frames.ts'
import type { Statement } from './statements.ts'

export class RowQuery implements Submittable {
  /** The driver replaces it when it limits the time. */
  callback: (failure: unknown) => void
  readonly #statement: Statement
  readonly #name: string
  #frames: RowFrames | null = null
  #row: RawRow | null = null

  /** @param name of the prepared statement; undefined to parse it each time */
  constructor(
    statement: Statement,
    name: string | undefined,
    done: (failure: unknown, row: RawRow | null) => void,
  ) {
    this.#statement = statement
    this.#name = name ?? ''
    this.callback = (failure) => done(failure, this.#row)
  }

  submit(connection: Connection): void {
    const name = this.#name
    const frames = framesOf(connection)
    this.#frames = frames
    frames.reader = (row) => {
      this.#row = row
    }
    const values = this.#statement.values.map(parameterText)
    connection.stream.cork()
    if (name === '' || !frames.prepared.has(name)) {
      connection.parse({ name, text: this.#statement.text, types: [] }, true)
    }
    connection.bind({ statement: name, values }, true)
    connection.execute(null, true)
    connection.sync()
    connection.stream.uncork()
  }

  handleError(failure: unknown): void {
    this.#end()
    this.callback(failure)
  }

  handleReadyForQuery(): void {
    if (this.#name !== '') this.#frames?.prepared.add(this.#name)
    this.#end()
    this.callback(null)
  }

  handleCommandComplete(): void {}

  #end(): void {
    if (this.#frames !== null) this.#frames.reader = null
  }
}

/** The text format of a parameter. https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const parameterText = (value: unknown): string =>
  Array.isArray(value)
    ? `{${value.map((each) => (typeof each === 'string' ? quoted(each) : String(each))).join(',')}}`
    : String(value)

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
