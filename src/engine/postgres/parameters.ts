/**
 * The only door through which a value enters a statement: it becomes a parameter, and the SQL text has its number. Types are
 * written out, so that the server never guesses them from their use.
 */
export type ParameterType =
  | 'text'
  | 'text[]'
  | 'integer'
  | 'integer[]'
  | 'bigint'
  | 'bigint[]'
  | 'double precision'

export class Parameters {
  readonly #values: unknown[] = []

  get values(): readonly unknown[] {
    return this.#values
  }

  /** Returns the SQL text that stands for the value. */
  add(value: string | number | readonly string[] | readonly number[], type: ParameterType): string {
    this.#values.push(value)
    // In the order of code points, whatever the default order of the database.
    const order = type === 'text' ? ' collate "C"' : ''
    return `$${this.#values.length}::${type}${order}`
  }
}
