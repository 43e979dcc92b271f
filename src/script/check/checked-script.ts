/** A script without problems: its tree, and the target of each call. */

import type { ModuleSource } from '../source-map.ts'
import type { NativeFunction } from '../stdlib/definition.ts'
import type {
  Call,
  Dialect,
  Expression,
  FunctionDeclaration,
  MethodCall,
  Script,
  Variant,
} from '../syntax/ast.ts'

export type CheckedScript = {
  /** The script, followed by the modules that it imports. */
  readonly text: string
  readonly sources: readonly ModuleSource[]
  readonly tree: Script
  readonly dialect: Dialect
  readonly calls: ReadonlyMap<Call | MethodCall, ResolvedCall>
}

/**
 * The arguments in parameter order, beginning with the receiver of a method call. Null stands for an optional parameter that
 * was left out before one that was given. Parameters left out at the end are not listed.
 */
export type ResolvedCall = { readonly target: CallTarget; readonly args: readonly (Expression | null)[] }

export type CallTarget =
  | { readonly kind: 'user'; readonly declaration: FunctionDeclaration }
  | { readonly kind: 'variant'; readonly variant: Variant }
  | { readonly kind: 'native'; readonly native: NativeFunction }
  /** `receiver.add(value)`: appends to an array; for any other receiver, calls `otherwise`, a function of that name. */
  | { readonly kind: 'add'; readonly otherwise: CallTarget | null }
