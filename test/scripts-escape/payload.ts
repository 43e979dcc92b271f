/** Scripts that try to escape, with the expected end of each run. */
import type { Dialect } from '../../src/script/script.ts'

export type Payload = {
  readonly name: string
  readonly script: string
  /** JSON of `Data`. */
  readonly input?: string
  /** The exact output; without it, any output is allowed that obeys the law. */
  readonly output?: string
  /** The code of the problem that ends the run; null for none; without it, both are allowed. */
  readonly problem?: `JM${number}` | null
  readonly message?: string
  /** Both by default. */
  readonly dialect?: Dialect
}

/** Writes a literal of the language, which does not have all the escapes of JSON. */
export const quoted = (text: string): string =>
  `"${text.replace(/[^ !#-[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

export const json = (value: unknown): string => JSON.stringify(value)

/** A payload that succeeds with this `Data.r`. */
export const gives = (name: string, script: string, result: unknown): Payload => ({
  name,
  script,
  output: `{"r":${json(result)}}`,
  problem: null,
})

/** A payload that only has to obey the law. */
export const ends = (name: string, script: string, input?: string): Payload =>
  input === undefined ? { name, script } : { name, script, input }
