/** Scripts that try to reach what is not theirs, and what the run of each has to end with. */
import type { Dialect } from '../../src/script/script.ts'

export type Payload = {
  readonly name: string
  readonly script: string
  /** JSON of `Data`. */
  readonly input?: string
  /** Exactly; where nothing is said, any output that keeps the law will do. */
  readonly output?: string
  /** The code of the problem that ends it; null for none, and where nothing is said either will do. */
  readonly problem?: `JM${number}` | null
  readonly message?: string
  /** Both, where nothing is said. */
  readonly dialect?: Dialect
}

/** As a literal of the language: escapes of JSON are not all escapes of it. */
export const quoted = (text: string): string =>
  `"${text.replace(/[^ !#-[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

export const json = (value: unknown): string => JSON.stringify(value)

/** A payload that succeeds with `Data.r` being this. */
export const gives = (name: string, script: string, result: unknown): Payload => ({
  name,
  script,
  output: `{"r":${json(result)}}`,
  problem: null,
})

/** A payload whose only duty is to keep the law. */
export const ends = (name: string, script: string, input?: string): Payload =>
  input === undefined ? { name, script } : { name, script, input }
