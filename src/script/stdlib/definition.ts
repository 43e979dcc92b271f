/**
 * How functions that scripts can call are defined: once, with everything that checking of arguments, named arguments,
 * documentation and editors need. The standard library and host functions are defined alike.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { ScriptArray, ScriptFunction, ScriptObject, Value } from '../values/value.ts'

/**
 * What a parameter takes. `text`: anything, converted to text (null becomes the text `null`). `number`: numbers only.
 * `array` and `object`: null counts as an empty one. `function`: a lambda. `any`: whatever there is.
 */
export type ParameterKind = 'text' | 'number' | 'array' | 'object' | 'function' | 'any'

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

/** What a native function may do besides looking at its arguments, which it never changes. */
export interface NativeContext {
  /** Counts memory that new values take. @throws ScriptFailure JM5910 over the limit */
  readonly allocate: (bytes: number) => void
  /**
   * Counts work, about one element or a hundred units of text each, and looks at the clock now and then: whatever can be
   * made to take long has to count. @throws ScriptFailure JM5903 over the limit, JM5003 when the run was cancelled
   */
  readonly work: (units: number) => void
  /** A new text, counted. */
  readonly text: (text: string) => string
  /** A new array of these elements, counted. It takes over the given array. */
  readonly array: (items: Value[]) => ScriptArray
  /** A new object without keys. What is set later is counted by `setNew`. */
  readonly object: () => ScriptObject
  /** Sets a key of an object that this function made, counted. */
  readonly set: (object: ScriptObject, key: string, value: Value) => void
  /** Milliseconds since 1970, in UTC. */
  readonly now: () => number
  /** What the host has handed to the run, for its functions; the machine does not look at it. */
  readonly host: unknown
  /** Whether the run is still waiting for what a function does. */
  readonly cancellation: Cancellation
}

/** Asks the machine to call a lambda; the generator goes on with what it answers. */
export type Invocation = {
  readonly callback: ScriptFunction
  readonly args: readonly Value[]
  /** What answers of lambdas the function has collected: nothing else leads to them while it waits for the next one. */
  readonly holding?: ScriptArray
}

/** A function that calls lambdas: the run can pause and wait inside of those. */
export type Steps = Generator<Invocation, Value, Value>

type NativeBody<P extends readonly NativeParameter[]> =
  | { readonly body: (context: NativeContext, ...args: ArgumentsOf<P>) => Value }
  | {
      readonly steps: (context: NativeContext, ...args: ArgumentsOf<P>) => Steps
      /** Every failure inside of a lambda that it calls, `exit` too, becomes JM5002 where the function was called. */
      readonly containsFailures?: true
    }
  | { readonly waits: (context: NativeContext, ...args: ArgumentsOf<P>) => Promise<Value> }

type Description = {
  /** As scripts write it. */
  readonly name: string
  /** Heading under which the reference lists it. */
  readonly category: string
  /** What it answers, as the reference says it: `number or null`. */
  readonly returns: string
  /** One sentence. */
  readonly about: string
}

export type NativeFunction = Description & {
  readonly parameters: readonly NativeParameter[]
} & NativeBody<readonly NativeParameter[]>

export type NativeDefinition<P extends readonly NativeParameter[]> = Description & {
  readonly parameters: P
} & NativeBody<P>

/** Checks the body against the parameters; the machine hands over what they say. */
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
