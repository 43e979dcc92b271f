/** The functions that scripts find by name besides their own. */
import type { NativeFunction } from '../stdlib/definition.ts'

export type FunctionTable = ReadonlyMap<string, NativeFunction>

/** A function of the host takes the place of the library's of the same name, without a word (language reference, 11.4). */
export const functionTable = (
  library: readonly NativeFunction[],
  host: readonly NativeFunction[],
): FunctionTable => new Map([...library, ...host].map((native) => [native.name, native]))
