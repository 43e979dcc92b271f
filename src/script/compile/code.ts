/** A script made ready to run, and the codes it consists of: its own, those of its functions and of its lambdas. */

import type { NativeFunction, ParameterKind } from '../stdlib/definition.ts'
import type { Dialect } from '../syntax/ast.ts'
import type { Shape } from '../values/shape.ts'
import type { Value } from '../values/value.ts'

export type Program = {
  readonly text: string
  readonly dialect: Dialect
  readonly main: Code
  /** Of objects that the script makes. */
  readonly emptyShape: Shape
}

export type Code = {
  /** Of the function; what it is for the others. */
  readonly name: string
  readonly kind: 'script' | 'function' | 'lambda'
  readonly instructions: Int32Array
  readonly constants: readonly Value[]
  /** Registers of a frame: parameters first, then variables and intermediate values, then `literals` from `firstLiteral` on. */
  readonly registers: number
  readonly firstLiteral: number
  /** Copied into each frame. */
  readonly literals: readonly Value[]
  readonly parameterCount: number
  /** Of a lambda: it calls nothing and changes nothing. */
  readonly isPure: boolean
  /** By place: functions that are called, and lambdas. A function that calls itself is its own. */
  readonly codes: readonly Code[]
  /** Of a lambda: where each captured cell comes from when the lambda is made, the maker's registers or its captured cells. */
  readonly captures: readonly { readonly from: 'register' | 'captured'; readonly place: number }[]
  readonly natives: readonly PreparedNative[]
  readonly templates: readonly ObjectTemplate[]
  /** Inline caches of property accesses: the shape that was met last, and the key's place in it. */
  readonly cachedShapes: (Shape | null)[]
  readonly cachedPlaces: Int32Array
  /** Pairs: from which instruction on a statement runs, and where it begins in the text. */
  readonly statementStarts: Int32Array
}

export type PreparedNative = { readonly native: NativeFunction; readonly kinds: readonly ParameterKind[] }

/** How an object literal or a variant is made from consecutive registers. */
export type ObjectTemplate = {
  readonly keys: readonly string[]
  /** Null where a key repeats or there are too many: keys are set one by one. */
  readonly shape: Shape | null
  /** Of a variant: the value of its first key, which no register holds. */
  readonly tag: string | null
}
