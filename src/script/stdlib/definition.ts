/**
 * Defines the functions that scripts can call: once, with all that the checks of arguments, named arguments, documentation and
 * editors need. Functions of the library and of hosts are defined in the same way.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { ScriptArray, ScriptFunction, ScriptObject, Value } from '../values/value.ts'

/**
 * The values that a parameter accepts. `text`: any value, converted to text (null becomes the text `null`). `number`: numbers
 * only. `array` and `object`: null counts as an empty one. `function`: a lambda. `any`: any value.
 */
export const parameterKinds = ['text', 'number', 'array', 'object', 'function', 'any'] as const

export type ParameterKind = (typeof parameterKinds)[number]

export type NativeParameter<
  Kind extends ParameterKind = ParameterKind,
  Optional extends boolean = boolean,
> = {
  readonly name: string
  readonly kind: Kind
  readonly optional: Optional
}

type ValuesByKind = {
  readonly text: string
  readonly number: number
  readonly array: ScriptArray
  readonly object: ScriptObject
  readonly function: ScriptFunction
  readonly any: Value
}

type Argument<P> =
  P extends NativeParameter<infer Kind, infer Optional>
    ? ValuesByKind[Kind] | (Optional extends true ? undefined : never)
    : never

type ArgumentsOf<P extends readonly NativeParameter[]> = { readonly [I in keyof P]: Argument<P[I]> }

/** Operations of native functions besides reading their arguments, which they never change. */
export interface NativeContext {
  /** Counts the memory of new values. @throws ScriptFailure JM5910 over the limit */
  readonly allocate: (bytes: number) => void
  /**
   * Counts work, one unit for about one element or a hundred units of text, and looks at the clock now and then. All work that
   * a script can prolong has to count. @throws ScriptFailure JM5903 over the limit, JM5003 when the run was cancelled
   */
  readonly work: (units: number) => void
  /** Counts a new text. */
  readonly text: (text: string) => string
  /** Notes and returns a new text whose memory was counted by `allocate`. */
  readonly newText: (text: string) => string
  /** Counts and makes a text from two. */
  readonly concatenate: (left: string, right: string) => string
  /** Makes and counts a new array of these elements. It may use the given array itself. */
  readonly array: (items: Value[]) => ScriptArray
  /**
   * Makes and counts a new object without keys. `set` counts the keys that are added later. Scripts of the service dialect read
   * the members of objects that functions of the host make in any letter case.
   */
  readonly object: () => ScriptObject
  /** Sets and counts a key of an object that this function made. */
  readonly set: (object: ScriptObject, key: string, value: Value) => void
  /** Whether an operator compares a number with a numeric text as a number, as in the service dialect. */
  readonly readsNumericText: boolean
  /** Milliseconds since 1970, in UTC. */
  readonly now: () => number
  /** The value that the host passes to its functions; the machine does not read it. */
  readonly host: unknown
  /** Whether the run has stopped waiting for the function. */
  readonly cancellation: Cancellation
}

/** Asks the machine to call a lambda; the generator receives the result. */
export type Invocation = {
  readonly callback: ScriptFunction
  readonly args: readonly Value[]
  /** Results of lambdas that the function has collected: nothing else leads to them during the next call. */
  readonly holding?: ScriptArray
}

/** A function that calls lambdas: the run can pause and wait inside the lambdas. */
export type Steps = Generator<Invocation, Value, Value>

type NativeBody<P extends readonly NativeParameter[]> =
  | { readonly body: (context: NativeContext, ...args: ArgumentsOf<P>) => Value }
  | {
      readonly steps: (context: NativeContext, ...args: ArgumentsOf<P>) => Steps
      /** Every failure inside a lambda that it calls, `exit` too, becomes JM5002 at the call of the function. */
      readonly containsFailures?: true
    }
  | { readonly waits: (context: NativeContext, ...args: ArgumentsOf<P>) => Promise<Value> }

type Description = {
  /** The name that scripts write. */
  readonly name: string
  /** Heading under which the reference lists it. */
  readonly category: string
  /** The result in the words of the reference: `number or null`. */
  readonly returns: string
  /** Describes the function in one sentence. */
  readonly about: string
  /**
   * The function that this is another name of. Only the service dialect has such names, and a script may use them for its own
   * functions and variants.
   */
  readonly aliasOf?: string
}

export type NativeFunction = Description & {
  readonly parameters: readonly NativeParameter[]
  /** Set by the table of functions that a script is compiled with. */
  readonly isOfHost?: true
} & NativeBody<readonly NativeParameter[]>

export type NativeDefinition<P extends readonly NativeParameter[]> = Description & {
  readonly parameters: P
} & NativeBody<P>

/** Checks the types of the body against the parameters; the machine passes arguments of those kinds. */
export const define = <const P extends readonly NativeParameter[]>(
  definition: NativeDefinition<P>,
): NativeFunction => definition as unknown as NativeFunction

const required =
  <Kind extends ParameterKind>(kind: Kind) =>
  (name: string): NativeParameter<Kind, false> => ({ name, kind, optional: false })

export const text = required('text')
export const number = required('number')
export const array = required('array')
export const object = required('object')
export const lambda = required('function')
export const any = required('any')

export const optional = <Kind extends ParameterKind>({
  name,
  kind,
}: NativeParameter<Kind, false>): NativeParameter<Kind, true> => ({ name, kind, optional: true })
