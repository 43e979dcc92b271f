/** A compiled script, and its codes: one for the script, one for each function and one for each lambda. */

import type { ModuleSource } from '../source-map.ts'
import type { NativeFunction, ParameterKind } from '../stdlib/definition.ts'
import type { Dialect } from '../syntax/ast.ts'
import type { Shape } from '../values/shape.ts'
import type { Value } from '../values/value.ts'

export type Program = {
  /** The script, followed by the modules that it imports. */
  readonly text: string
  readonly sources: readonly ModuleSource[]
  readonly dialect: Dialect
  readonly main: Code
  /** The first shape of every object that the script makes. */
  readonly emptyShape: Shape
  /** The first shape of every object that the host hands in. */
  readonly hostShape: Shape
}

export type Code = {
  /** The name of the function, or what the code is: the script, a lambda. */
  readonly name: string
  readonly kind: 'script' | 'function' | 'lambda'
  readonly instructions: Int32Array
  readonly constants: readonly Value[]
  /** Registers of a frame: parameters first, then variables and intermediate values, then `literals` from `firstLiteral` on. */
  readonly registers: number
  readonly firstLiteral: number
  /** Values that are copied into each frame. */
  readonly literals: readonly Value[]
  readonly parameterCount: number
  /** Whether this is a lambda that calls nothing and changes nothing. */
  readonly isPure: boolean
  /** The functions that are called and the lambdas, by place. A function that calls itself is in its own list. */
  readonly codes: readonly Code[]
  /** Where each captured cell of a lambda comes from: the registers or the captured cells of the code that makes it. */
  readonly captures: readonly { readonly from: 'register' | 'captured'; readonly place: number }[]
  readonly natives: readonly PreparedNative[]
  readonly templates: readonly ObjectTemplate[]
  /** Inline caches of property accesses: the last shape met, and the key's place in it. */
  readonly cachedShapes: (Shape | null)[]
  readonly cachedPlaces: Int32Array
  /** Pairs: the first instruction of a statement, and its offset in the text. */
  readonly statementStarts: Int32Array
  /**
   * Where the expression of an instruction that may fail is in the text, and its operands that are no literals. Rows in the
   * order of the instructions: instruction, offset, how many operands; and for each its register, start and end in the text,
   * and where its name begins if it is a property, or -1.
   */
  readonly sites: Int32Array
}

export type PreparedNative = {
  readonly native: NativeFunction
  readonly kinds: readonly ParameterKind[]
  /** Whether the objects that it makes are handed in by the host. */
  readonly isOfHost: boolean
}

/** How an object literal or a variant is made from consecutive registers. */
export type ObjectTemplate = {
  readonly keys: readonly string[]
  /** Null where a key repeats or there are too many keys: then keys are set one by one. */
  readonly shape: Shape | null
  /** The name of a variant: the value of its first key, which is not in a register. */
  readonly tag: string | null
}
