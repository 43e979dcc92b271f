/** A script without problems: its tree, and what each call in it calls. */

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
  readonly text: string
  readonly tree: Script
  readonly dialect: Dialect
  readonly calls: ReadonlyMap<Call | MethodCall, ResolvedCall>
}

/**
 * The expressions of the arguments in parameter order, that of a method call's receiver first; null stands for an optional
 * parameter that was left out before one that was given. Parameters left out at the end are not listed.
 */
export type ResolvedCall = { readonly target: CallTarget; readonly args: readonly (Expression | null)[] }

export type CallTarget =
  | { readonly kind: 'user'; readonly declaration: FunctionDeclaration }
  | { readonly kind: 'variant'; readonly variant: Variant }
  | { readonly kind: 'native'; readonly native: NativeFunction }
  /** `receiver.add(value)`: appends to an array; for any other receiver what a function of that name does, if there is one. */
  | { readonly kind: 'add'; readonly otherwise: CallTarget | null }
