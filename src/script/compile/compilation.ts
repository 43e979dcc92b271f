/** What every part of the compiler needs to know. */
import type { CheckedScript } from '../check/checked-script.ts'
import type { FunctionDeclaration, Variant } from '../syntax/ast.ts'
import type { Shape } from '../values/shape.ts'
import type { Code } from './code.ts'
import type { Resolution } from './resolve.ts'
import type { Label } from './unit.ts'

export type Compilation = {
  readonly script: CheckedScript
  readonly resolution: Resolution
  /** Codes of functions, which are filled in as they are made. */
  readonly functions: ReadonlyMap<FunctionDeclaration, Partial<Code>>
  /** By name; no two of a script have the same. */
  readonly variants: ReadonlyMap<string, Variant>
  readonly emptyShape: Shape
  /** Where `break` and `continue` lead, the innermost loop last. */
  readonly loops: { readonly end: Label; readonly next: Label }[]
}
