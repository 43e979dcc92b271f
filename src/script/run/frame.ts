/** Frames of calls in progress, and the values whose content only the machine reads. */
import type { Code } from '../compile/code.ts'
import { ScriptFailure } from '../failure.ts'
import type { Steps } from '../stdlib/definition.ts'
import { type ScriptArray, ScriptFunction, type Value } from '../values/value.ts'
import type { Iteration } from './iteration.ts'

/** A call of a function or lambda, or of a native function that calls lambdas. Reused after the call. */
export class Frame {
  code: Code
  /** The next instruction while another frame is on top. */
  pc = 0
  /** Register 0 on the stack. */
  base = 0
  captured: readonly Cell[] = noCells
  /** The register that takes the result of the call in progress. */
  target = 0
  /** The steps of a native function; they continue when the lambda that it called returns. */
  steps: Steps | null = null
  /** Whether every failure of its lambdas becomes a failure of the call. */
  containsFailures = false
  /** Bytes that the native function has allocated so far: nothing else leads to them yet. */
  bytes = 0
  /** Results of lambdas that the native function has collected. */
  holding: ScriptArray | null = null

  constructor(code: Code) {
    this.code = code
  }
}

/** A variable that lambdas share. */
export class Cell {
  /** Undefined until the variable has its first value. */
  value: Value | undefined
  /** Which measuring of memory has met it last. */
  measured = 0

  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** @throws ScriptFailure JM5002 when a lambda reads a variable before it has its first value */
export function cellValue({ value }: Cell): Value {
  if (value === undefined) throw new ScriptFailure('JM5002', 'A variable is read before it has a value')
  return value
}

export const noCells: readonly Cell[] = []

export class Lambda extends ScriptFunction {
  readonly code: Code
  readonly captured: readonly Cell[]
  /** Which measuring of memory has met it last. */
  measured = 0

  constructor(code: Code, captured: readonly Cell[]) {
    super()
    this.code = code
    this.captured = captured
  }

  get parameterCount(): number {
    return this.code.parameterCount
  }

  get isPure(): boolean {
    return this.code.isPure
  }
}

/** The content of a register. */
export type Slot = Value | Cell | Iteration | undefined
