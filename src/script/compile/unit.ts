/**
 * One code while it is being made: its instructions, registers, constants and captured cells. Literals have registers behind
 * all others. Their numbers are known only at the end: until then they are negative.
 */
import type { CheckedScript } from '../check/checked-script.ts'
import type { NativeFunction } from '../stdlib/definition.ts'
import type { Expression, FunctionDeclaration, Variant } from '../syntax/ast.ts'
import type { Shape } from '../values/shape.ts'
import type { Value } from '../values/value.ts'
import type { Code, ObjectTemplate, PreparedNative } from './code.ts'
import { type InstructionName, instructionNames, instructionNumbers, instructions } from './instructions.ts'
import type { Owner, Resolution, Variable } from './resolve.ts'

/** State that all parts of the compiler share. */
export type Compilation = {
  readonly script: CheckedScript
  readonly resolution: Resolution
  /** The codes of the functions, filled in as they are made. */
  readonly functions: ReadonlyMap<FunctionDeclaration, Partial<Code>>
  /** Keyed by name, which is unique in a script. */
  readonly variants: ReadonlyMap<string, Variant>
  readonly emptyShape: Shape
  /** The targets of `break` and `continue`, and the iterator of a `foreach`; the innermost loop last. */
  readonly loops: { readonly end: Label; readonly next: Label; readonly iterator?: Register }[]
}

export type Register = number

/** The target of a jump, which may not be known yet. */
export class Label {
  place = -1
  readonly jumps: number[] = []
}

export class Unit {
  readonly name: string
  readonly owner: Owner
  readonly parent: Unit | null
  readonly #emptyShape: Shape
  readonly #instructions: number[] = []
  readonly #literals: Value[] = []
  readonly #literalPlaces = new Map<Value, number>()
  readonly #constants: Value[] = []
  readonly #constantPlaces = new Map<Value, number>()
  readonly #codes: Code[] = []
  readonly #codePlaces = new Map<Code, number>()
  readonly #natives: PreparedNative[] = []
  readonly #templates: ObjectTemplate[] = []
  readonly #captures: { from: 'register' | 'captured'; place: number }[] = []
  readonly #capturePlaces = new Map<Variable, number>()
  readonly #registers = new Map<Variable, Register>()
  readonly #statementStarts: number[] = []
  readonly #sites: number[] = []
  #caches = 0
  #next = 0
  #most = 0

  constructor(name: string, owner: Owner, parent: Unit | null, emptyShape: Shape) {
    this.name = name
    this.owner = owner
    this.parent = parent
    this.#emptyShape = emptyShape
  }

  /** The statement at this offset in the text begins here. */
  mark(start: number): void {
    this.#statementStarts.push(this.#instructions.length, start)
  }

  /** The instruction emitted next computes the expression at this offset, from these operands. */
  site(at: number, ...operands: readonly (readonly [register: Register, expression: Expression])[]): void {
    const named = operands.filter(([register]) => register >= 0)
    this.#sites.push(this.#instructions.length, at, named.length)
    for (const [register, expression] of named) {
      const { start, end } = expression.span
      const name = expression.kind === 'property' ? expression.name.span.start : -1
      this.#sites.push(register, start, end, name)
    }
  }

  emit(name: InstructionName, ...operands: readonly (number | Label)[]): void {
    const formats = instructions[name]
    if (operands.length !== formats.length) throw new Error(`${name} takes ${formats.length} operands`)
    this.#instructions.push(instructionNumbers[name])
    for (const operand of operands) {
      if (operand instanceof Label) {
        if (operand.place < 0) operand.jumps.push(this.#instructions.length)
        this.#instructions.push(operand.place)
      } else this.#instructions.push(operand)
    }
  }

  place(label: Label): void {
    label.place = this.#instructions.length
    for (const jump of label.jumps) this.#instructions[jump] = label.place
  }

  /** Reserves a register until {@link release}. */
  take(): Register {
    const register = this.#next++
    if (this.#next > this.#most) this.#most = this.#next
    return register
  }

  /** How many registers are in use; {@link release} goes back to such a number. */
  get taken(): number {
    return this.#next
  }

  release(taken: number): void {
    this.#next = taken
  }

  literal(value: Value): Register {
    const key = Object.is(value, -0) ? NEGATIVE_ZERO : value
    let place = this.#literalPlaces.get(key)
    if (place === undefined) {
      place = this.#literals.push(value) - 1
      this.#literalPlaces.set(key, place)
    }
    return -1 - place
  }

  constant(text: string): number {
    let place = this.#constantPlaces.get(text)
    if (place === undefined) {
      place = this.#constants.push(text) - 1
      this.#constantPlaces.set(text, place)
    }
    return place
  }

  code(code: Code): number {
    let place = this.#codePlaces.get(code)
    if (place === undefined) {
      place = this.#codes.push(code) - 1
      this.#codePlaces.set(code, place)
    }
    return place
  }

  native(native: NativeFunction): number {
    const known = this.#natives.findIndex((other) => other.native === native)
    if (known >= 0) return known
    const kinds = native.parameters.map(({ kind }) => kind)
    return this.#natives.push({ native, kinds, isOfHost: native.isOfHost === true }) - 1
  }

  /** @param tag the name of a variant, which comes before the keys */
  template(keys: readonly string[], tag: string | null = null): number {
    let shape: Shape | null = this.#emptyShape
    const all = tag === null ? keys : ['_variant', ...keys]
    for (const key of all) shape = shape === null || shape.placeOf(key) >= 0 ? null : shape.with(key)
    return this.#templates.push({ keys: all, shape, tag }) - 1
  }

  /** Reserves a place for an inline cache. */
  cache(): number {
    return this.#caches++
  }

  bind(variable: Variable, register: Register): void {
    this.#registers.set(variable, register)
  }

  registerOf(variable: Variable): Register {
    const register = this.#registers.get(variable)
    if (register === undefined)
      throw new Error(`The variable '${variable.name}' has no register in ${this.name}`)
    return register
  }

  /** The place of the captured cell for a variable of an outer unit. */
  captureOf(variable: Variable): number {
    let place = this.#capturePlaces.get(variable)
    if (place === undefined) {
      const parent = this.parent as Unit
      const capture =
        variable.owner === parent.owner
          ? { from: 'register' as const, place: parent.registerOf(variable) }
          : { from: 'captured' as const, place: parent.captureOf(variable) }
      place = this.#captures.push(capture) - 1
      this.#capturePlaces.set(variable, place)
    }
    return place
  }

  /** Functions may call each other before they are compiled, so the code is filled into the object promised earlier. */
  finish(promised: Partial<Code>, kind: Code['kind'], parameterCount: number, isPure = false): Code {
    const firstLiteral = this.#most
    const code: Code = {
      name: this.name,
      kind,
      instructions: this.#placeLiterals(firstLiteral),
      constants: this.#constants,
      registers: firstLiteral + this.#literals.length,
      firstLiteral,
      literals: this.#literals,
      parameterCount,
      isPure,
      codes: this.#codes,
      captures: this.#captures,
      natives: this.#natives,
      templates: this.#templates,
      cachedShapes: new Array<Shape | null>(this.#caches).fill(null),
      cachedPlaces: new Int32Array(this.#caches),
      statementStarts: Int32Array.from(this.#statementStarts),
      sites: Int32Array.from(this.#sites),
    }
    return Object.assign(promised, code)
  }

  #placeLiterals(firstLiteral: number): Int32Array {
    const placed = Int32Array.from(this.#instructions)
    for (let at = 0; at < placed.length; ) {
      const operands = instructions[instructionNames[placed[at] as number] as InstructionName]
      at++
      for (const format of operands) {
        const operand = placed[at] as number
        if (format === 'r' && operand < 0) placed[at] = firstLiteral - 1 - operand
        at++
      }
    }
    return placed
  }
}

/** A map treats the two zeros as one key. */
const NEGATIVE_ZERO = '-0 the number'
