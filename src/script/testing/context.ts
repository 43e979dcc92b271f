/** For tests of native functions: a context that counts, plain values for script values, lambdas written in JavaScript. */
import assert from 'node:assert/strict'
import { ScriptFailure } from '../failure.ts'
import type { ScriptProblemCode } from '../script-problem.ts'
import type { NativeContext, NativeFunction } from '../stdlib/definition.ts'
import { Shape } from '../values/shape.ts'
import { ScriptArray, ScriptFunction, ScriptObject, type Value } from '../values/value.ts'

export type TestContext = NativeContext & {
  /** Bytes counted so far. */
  bytes: number
  units: number
  mostBytes: number
  mostUnits: number
}

export function testContext(
  options: Partial<Pick<TestContext, 'mostBytes' | 'mostUnits' | 'now' | 'readsNumericText'>> = {},
): TestContext {
  const root = Shape.root()
  const context: TestContext = {
    bytes: 0,
    units: 0,
    mostBytes: Number.POSITIVE_INFINITY,
    mostUnits: Number.POSITIVE_INFINITY,
    allocate(bytes) {
      context.bytes += bytes
      if (context.bytes > context.mostBytes)
        throw new ScriptFailure('JM5910', 'Too much memory', 'memoryBytes')
    },
    work(units) {
      context.units += units
      if (context.units > context.mostUnits) throw new ScriptFailure('JM5903', 'Too long', 'milliseconds')
    },
    text(text) {
      context.allocate(24 + 2 * text.length)
      return text
    },
    newText: (text) => text,
    concatenate: (left, right) => context.text(left + right),
    array(items) {
      context.allocate(48 + 16 * items.length)
      return new ScriptArray(items)
    },
    object() {
      context.allocate(64)
      return new ScriptObject(root, [])
    },
    set(object, key, value) {
      context.allocate(16)
      object.set(key, value)
    },
    readsNumericText: false,
    now: () => 0,
    host: undefined,
    cancellation: { aborted: false },
    ...options,
  }
  return context
}

/** A lambda for tests. */
export class TestLambda extends ScriptFunction {
  readonly parameterCount: number
  readonly call: (...args: Value[]) => Value

  readonly isPure: boolean

  constructor(call: (...args: Value[]) => Value, isPure: boolean) {
    super()
    this.call = call
    this.parameterCount = call.length
    this.isPure = isPure
  }
}

export const lambdaOf = (call: (...args: Value[]) => Value, isPure = false): TestLambda =>
  new TestLambda(call, isPure)

/** Calls a function as the machine does after checking the arguments. */
export function run(native: NativeFunction, args: readonly Value[], context: NativeContext): Value {
  const given = native.parameters.map((_, i) => args[i]) as never[]
  if ('body' in native) return native.body(context, ...given)
  assert.ok('steps' in native, `${native.name} waits`)
  const steps = native.steps(context, ...given)
  for (let step = steps.next(); ; ) {
    if (step.done === true) return step.value
    const { callback, args: handed } = step.value
    assert.ok(callback instanceof TestLambda)
    step = steps.next(callback.call(...handed))
  }
}

/** Calls functions of a list by name, with plain arguments and a plain result. */
export const caller =
  (functions: readonly NativeFunction[]) =>
  (name: string, args: readonly unknown[], context: NativeContext = testContext()): unknown => {
    const native = functions.find((candidate) => candidate.name === name)
    assert.ok(native !== undefined, `there is no ${name}`)
    return plainOf(run(native, args.map(given), context))
  }

/** Converts arrays and objects of JavaScript to script values; script values stay as they are. */
export function given(plain: unknown): Value {
  if (Array.isArray(plain)) return new ScriptArray(plain.map(given))
  if (typeof plain !== 'object' || plain === null) return plain as Value
  if (plain instanceof ScriptArray || plain instanceof ScriptObject || plain instanceof ScriptFunction) {
    return plain
  }
  const object = new ScriptObject(Shape.root(), [])
  for (const [key, value] of Object.entries(plain)) object.set(key, given(value))
  return object
}

/** Converts back. Objects become lists of entries under `{}`, so that tests see the order of keys. */
export function plainOf(value: Value): unknown {
  if (value instanceof ScriptArray) return value.items.map(plainOf)
  if (!(value instanceof ScriptObject)) return value
  return { '{}': [...value.entries()].map(([key, member]) => [key, plainOf(member)]) }
}

/** The result of {@link plainOf} for an object with these entries. */
export const entries = (...pairs: readonly (readonly [key: string, value: unknown])[]): unknown => ({
  '{}': pairs.map((pair) => [...pair]),
})

/** Asserts that something ends the run with this code. */
export function fails(code: ScriptProblemCode, attempt: () => unknown): void {
  assert.throws(attempt, (failure) => {
    assert.ok(failure instanceof ScriptFailure, String(failure))
    assert.equal(failure.code, code)
    return true
  })
}
