/** The functions that scripts can call, as the service defines them, without their bodies. */
import type { NativeFunction, NativeParameter } from '../../../../src/script/stdlib/definition.ts'

export type FunctionSignature = Pick<
  NativeFunction,
  'name' | 'category' | 'returns' | 'about' | 'aliasOf' | 'parameters'
>

/** What scripts find besides their own names. */
export type ScriptWorld = {
  readonly library: readonly FunctionSignature[]
  /** They replace library functions of the same name. */
  readonly hostFunctions: readonly FunctionSignature[]
  readonly responseMembers: readonly string[]
}

/** By name. */
export const functionsOf = ({
  library,
  hostFunctions,
}: ScriptWorld): ReadonlyMap<string, FunctionSignature> =>
  new Map([...library, ...hostFunctions].map((signature) => [signature.name, signature]))

/** `Substring(text: text, start: number, length?: number)` */
export const signatureText = ({ name, parameters }: FunctionSignature): string =>
  `${name}(${parameters.map(parameterText).join(', ')})`

const parameterText = ({ name, kind, optional }: NativeParameter): string =>
  `${name}${optional ? '?' : ''}: ${kind}`
