/**
 * Runs the instructions of a program until it ends, waits, or has used up its slice, and returns which. A failure ends the run
 * here, at the statement that was being executed. The state between two slices is in `machine-state.ts`; operators with
 * operands other than two numbers are in `operations.ts`.
 *
 * The loop is one function with one switch whose labels are plain numbers, which the engine turns into a jump table. With named
 * constants as labels, the first run of a script took about a fifth longer. The test of `compile/instructions.ts` writes the
 * numbers from the names beside them.
 */
import type { ObjectTemplate, PreparedNative } from '../compile/code.ts'
import { ScriptFailure } from '../failure.ts'
import { areEqual } from '../values/equality.ts'
import { isTruthy } from '../values/kinds.ts'
import { refuseSequence } from '../values/only-foreach.ts'
import {
  ARRAY_BYTES,
  bytesInPlace,
  bytesOfList,
  bytesOfUnit,
  CELL_BYTES,
  NUMBER_BYTES,
} from '../values/sizes.ts'
import { toText } from '../values/to-text.ts'
import { ScriptArray, ScriptObject, ScriptSequence, type Value } from '../values/value.ts'
import { wrongType } from './arguments.ts'
import { Cell, cellValue, type Frame } from './frame.ts'
import { type Iteration, nextItem } from './iteration.ts'
import { limitReached } from './limits.ts'
import { MachineState } from './machine-state.ts'
import {
  add,
  bytesOfPlaces,
  checkBounds,
  checkStep,
  coerce,
  compare,
  compute,
  deleteMember,
  elementOf,
  equals,
  isOfType,
  negated,
  notAnObject,
  readBounds,
  setElement,
  setMember,
} from './operations.ts'

/** The state of a run after a slice. A waiting run continues when {@link Machine.waitingFor} is settled. */
export type Standing = 'paused' | 'waiting' | 'ended'

/** Statements, rounds and calls of lambdas between two looks at the clock. */
const TICKS = 1024

export class Machine extends MachineState {
  /** Runs until this time (of `performance.now()`), or until the run ends or waits. */
  run(until: number): Standing {
    const limits = this.limits
    const meter = this.meter
    const stack = this.stack
    const { context, equality } = this
    const { statements: mostStatements, loops: mostRounds } = limits
    let ticks = Math.max(1, this.pauseAfter ?? TICKS)
    let statements = this.statements
    let rounds = this.rounds
    let frame: Frame | undefined
    let pc = 0
    try {
      if (this.top < 0) this.push(this.program.main, 0)
      frame = this.frames[this.top] as Frame
      // A failure here belongs to the instruction that made the run stop, not to the next one.
      pc = Math.max(0, frame.pc - 1)
      if (this.refusal !== undefined) throw this.takeRefusal()
      this.takeThread(until)
      nextFrame: for (;;) {
        frame = this.frames[this.top] as Frame
        pc = frame.pc
        if (frame.steps !== null) {
          if (--ticks < 0 || this.sliceIsOver) {
            if (this.mustPause(until)) return 'paused'
            ticks = TICKS
          }
          this.goOn(frame)
          continue
        }
        const { code, base } = frame
        const { instructions } = code
        for (;;) {
          switch (instructions[pc]) {
            case 0: // STEP
              if (++statements > mostStatements) throw limitReached('statements', limits)
              pc += 1
              if (--ticks < 0 || this.sliceIsOver) {
                frame.pc = pc
                if (this.mustPause(until)) return 'paused'
                ticks = TICKS
              }
              break
            case 1: // ROUND
              if (++rounds > mostRounds) throw limitReached('loops', limits)
              pc += 1
              if (--ticks < 0 || this.sliceIsOver) {
                frame.pc = pc
                if (this.mustPause(until)) return 'paused'
                ticks = TICKS
              }
              break
            case 2: // MOVE
              stack[base + instructions[pc + 1]!] = stack[base + instructions[pc + 2]!]
              pc += 3
              break
            case 3: // DATA
              stack[base + instructions[pc + 1]!] = this.data
              pc += 2
              break
            case 4: {
              // ADD
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number'
                  ? left + right
                  : add(left, right, context)
              pc += 4
              break
            }
            case 5: {
              // SUBTRACT
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number'
                  ? left - right
                  : compute('Subtract', left, right)
              pc += 4
              break
            }
            case 6: {
              // MULTIPLY
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number'
                  ? left * right
                  : compute('Multiply', left, right)
              pc += 4
              break
            }
            case 7: {
              // DIVIDE
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number' && right !== 0
                  ? left / right
                  : compute('Divide', left, right)
              pc += 4
              break
            }
            case 8: {
              // MODULO
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number' && right !== 0
                  ? left % right
                  : compute('Modulo', left, right)
              pc += 4
              break
            }
            case 9: // EQUAL
              stack[base + instructions[pc + 1]!] = equals(
                stack[base + instructions[pc + 2]!] as Value,
                stack[base + instructions[pc + 3]!] as Value,
                equality,
              )
              pc += 4
              break
            case 10: // UNEQUAL
              stack[base + instructions[pc + 1]!] = !equals(
                stack[base + instructions[pc + 2]!] as Value,
                stack[base + instructions[pc + 3]!] as Value,
                equality,
              )
              pc += 4
              break
            case 11: {
              // LESS
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number'
                  ? left < right
                  : compare('LessThan', left, right, equality)
              pc += 4
              break
            }
            case 12: {
              // LESS_OR_EQUAL
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number'
                  ? left <= right
                  : compare('LessThanOrEqual', left, right, equality)
              pc += 4
              break
            }
            case 13: {
              // GREATER
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number'
                  ? left > right
                  : compare('GreaterThan', left, right, equality)
              pc += 4
              break
            }
            case 14: {
              // GREATER_OR_EQUAL
              const left = stack[base + instructions[pc + 2]!] as Value
              const right = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                typeof left === 'number' && typeof right === 'number'
                  ? left >= right
                  : compare('GreaterThanOrEqual', left, right, equality)
              pc += 4
              break
            }
            case 15: // NEGATE
              stack[base + instructions[pc + 1]!] = negated(stack[base + instructions[pc + 2]!] as Value)
              pc += 3
              break
            case 16: // NOT
              stack[base + instructions[pc + 1]!] = !isTruthy(stack[base + instructions[pc + 2]!] as Value)
              pc += 3
              break
            case 17: // COALESCE
              stack[base + instructions[pc + 1]!] =
                stack[base + instructions[pc + 2]!] ?? stack[base + instructions[pc + 3]!]
              pc += 4
              break
            case 18: {
              // IS
              const is = isOfType(stack[base + instructions[pc + 2]!] as Value, instructions[pc + 3]!)
              stack[base + instructions[pc + 1]!] = is !== (instructions[pc + 4] === 1)
              pc += 5
              break
            }
            case 19: // JUMP
              pc = instructions[pc + 1]!
              break
            case 20: // JUMP_UNLESS
              pc = isTruthy(stack[base + instructions[pc + 1]!] as Value) ? pc + 3 : instructions[pc + 2]!
              break
            case 21: // JUMP_IF
              pc = isTruthy(stack[base + instructions[pc + 1]!] as Value) ? instructions[pc + 2]! : pc + 3
              break
            case 22: {
              // JUMP_UNLESS_EQUAL
              const left = stack[base + instructions[pc + 1]!] as Value
              const right = stack[base + instructions[pc + 2]!] as Value
              pc = equals(left, right, equality) ? pc + 4 : instructions[pc + 3]!
              break
            }
            case 23: {
              // JUMP_UNLESS_UNEQUAL
              const left = stack[base + instructions[pc + 1]!] as Value
              const right = stack[base + instructions[pc + 2]!] as Value
              pc = equals(left, right, equality) ? instructions[pc + 3]! : pc + 4
              break
            }
            case 24: {
              // JUMP_UNLESS_LESS
              const left = stack[base + instructions[pc + 1]!] as Value
              const right = stack[base + instructions[pc + 2]!] as Value
              const holds =
                typeof left === 'number' && typeof right === 'number'
                  ? left < right
                  : compare('LessThan', left, right, equality)
              pc = holds ? pc + 4 : instructions[pc + 3]!
              break
            }
            case 25: {
              // JUMP_UNLESS_LESS_OR_EQUAL
              const left = stack[base + instructions[pc + 1]!] as Value
              const right = stack[base + instructions[pc + 2]!] as Value
              const holds =
                typeof left === 'number' && typeof right === 'number'
                  ? left <= right
                  : compare('LessThanOrEqual', left, right, equality)
              pc = holds ? pc + 4 : instructions[pc + 3]!
              break
            }
            case 26: {
              // JUMP_UNLESS_GREATER
              const left = stack[base + instructions[pc + 1]!] as Value
              const right = stack[base + instructions[pc + 2]!] as Value
              const holds =
                typeof left === 'number' && typeof right === 'number'
                  ? left > right
                  : compare('GreaterThan', left, right, equality)
              pc = holds ? pc + 4 : instructions[pc + 3]!
              break
            }
            case 27: {
              // JUMP_UNLESS_GREATER_OR_EQUAL
              const left = stack[base + instructions[pc + 1]!] as Value
              const right = stack[base + instructions[pc + 2]!] as Value
              const holds =
                typeof left === 'number' && typeof right === 'number'
                  ? left >= right
                  : compare('GreaterThanOrEqual', left, right, equality)
              pc = holds ? pc + 4 : instructions[pc + 3]!
              break
            }
            case 28: {
              // JUMP_UNLESS_CASE
              const left = stack[base + instructions[pc + 1]!] as Value
              const right = stack[base + instructions[pc + 2]!] as Value
              pc = areEqual(left, right, equality, 'never') ? pc + 4 : instructions[pc + 3]!
              break
            }
            case 29: {
              // GET_PROPERTY
              const object = stack[base + instructions[pc + 2]!]
              let value: Value = null
              if (object instanceof ScriptObject) {
                const cache = instructions[pc + 4]!
                const { shape } = object
                if (shape !== null && shape === code.cachedShapes[cache]) {
                  const place = code.cachedPlaces[cache]!
                  if (place >= 0) value = object.slots[place] as Value
                } else {
                  const place = object.readPlaceOf(code.constants[instructions[pc + 3]!] as string)
                  if (place >= 0) value = object.slots[place] as Value
                  code.cachedShapes[cache] = shape
                  code.cachedPlaces[cache] = place
                }
              } else if (object instanceof ScriptSequence) refuseSequence(object)
              stack[base + instructions[pc + 1]!] = value
              pc += 5
              break
            }
            case 30: {
              // SET_PROPERTY
              const object = stack[base + instructions[pc + 1]!] as Value
              const name = code.constants[instructions[pc + 2]!] as string
              if (!(object instanceof ScriptObject)) throw notAnObject(name, object, 'set')
              const value = stack[base + instructions[pc + 3]!] as Value
              const cache = instructions[pc + 4]!
              const { shape } = object
              if (shape !== null && shape === code.cachedShapes[cache]) {
                if (typeof value === 'number') meter.allocate(bytesInPlace(value))
                object.slots[code.cachedPlaces[cache]!] = value
              } else {
                setMember(object, name, value, context)
                // The added key is in the shape from now on.
                if (object.shape !== null) {
                  code.cachedShapes[cache] = object.shape
                  code.cachedPlaces[cache] = object.shape.placeOf(name)
                }
              }
              pc += 5
              break
            }
            case 31: {
              // GET_INDEX
              const container = stack[base + instructions[pc + 2]!] as Value
              const index = stack[base + instructions[pc + 3]!] as Value
              stack[base + instructions[pc + 1]!] =
                container instanceof ScriptArray && typeof index === 'number' && (index | 0) === index
                  ? (container.items[index] ?? null)
                  : this.element(container, index)
              pc += 4
              break
            }
            case 32: {
              // SET_INDEX
              const container = stack[base + instructions[pc + 1]!] as Value
              const index = stack[base + instructions[pc + 2]!] as Value
              const value = stack[base + instructions[pc + 3]!] as Value
              if (
                container instanceof ScriptArray &&
                typeof index === 'number' &&
                index >>> 0 === index &&
                index < container.items.length
              ) {
                if (typeof value === 'number') meter.allocate(bytesInPlace(value))
                container.items[index] = value
                container.version++
              } else setElement(container, index, value, context)
              pc += 4
              break
            }
            case 33: // DELETE_PROPERTY
              deleteMember(
                stack[base + instructions[pc + 1]!] as Value,
                code.constants[instructions[pc + 2]!] as string,
                context,
              )
              pc += 3
              break
            case 34: // DELETE_INDEX
              deleteMember(
                stack[base + instructions[pc + 1]!] as Value,
                toText(stack[base + instructions[pc + 2]!] as Value, context.work),
                context,
              )
              pc += 3
              break
            case 35: {
              // LENGTH
              const value = stack[base + instructions[pc + 2]!] as Value
              if (value instanceof ScriptArray) stack[base + instructions[pc + 1]!] = value.items.length
              else if (typeof value === 'string') stack[base + instructions[pc + 1]!] = value.length
              else stack[base + instructions[pc + 1]!] = elementOf(value as Value, 'length')
              pc += 3
              break
            }
            case 36: {
              // ARRAY
              const first = base + instructions[pc + 2]!
              const count = instructions[pc + 3]!
              let bytes = ARRAY_BYTES + bytesOfList(count)
              for (let i = 0; i < count; i++) bytes += bytesInPlace(stack[first + i] as Value)
              meter.allocate(bytes)
              // A slice has no places in reserve.
              const items = stack.slice(first, first + count) as Value[]
              stack[base + instructions[pc + 1]!] = new ScriptArray(items)
              pc += 4
              break
            }
            case 37: {
              // OBJECT
              const template = code.templates[instructions[pc + 2]!] as ObjectTemplate
              stack[base + instructions[pc + 1]!] = this.object(template, base + instructions[pc + 3]!)
              pc += 4
              break
            }
            case 38: {
              // CELL
              const at = base + instructions[pc + 1]!
              meter.allocate(CELL_BYTES + NUMBER_BYTES)
              stack[at] = new Cell(stack[at] as Value)
              pc += 2
              break
            }
            case 39: // GET_CELL
              stack[base + instructions[pc + 1]!] = cellValue(stack[base + instructions[pc + 2]!] as Cell)
              pc += 3
              break
            case 40: // SET_CELL
              ;(stack[base + instructions[pc + 1]!] as Cell).value = stack[
                base + instructions[pc + 2]!
              ] as Value
              pc += 3
              break
            case 41: // GET_CAPTURED
              stack[base + instructions[pc + 1]!] = cellValue(frame.captured[instructions[pc + 2]!]!)
              pc += 3
              break
            case 42: // SET_CAPTURED
              frame.captured[instructions[pc + 1]!]!.value = stack[base + instructions[pc + 2]!] as Value
              pc += 3
              break
            case 43: // LAMBDA
              stack[base + instructions[pc + 1]!] = this.lambda(frame, code.codes[instructions[pc + 2]!]!)
              pc += 3
              break
            case 44: // ENTER
              if (++this.depth > limits.depth) throw limitReached('depth', limits)
              pc += 1
              break
            case 45: {
              // CALL
              if (instructions[pc + 5] === 1 && ++this.depth > limits.depth)
                throw limitReached('depth', limits)
              const called = code.codes[instructions[pc + 2]!]!
              const first = base + instructions[pc + 3]!
              const count = instructions[pc + 4]!
              frame.target = instructions[pc + 1]!
              frame.pc = pc + 6
              const next = this.push(called, base + code.registers)
              for (let i = 0; i < called.parameterCount; i++) {
                stack[next.base + i] = i < count ? stack[first + i] : null
              }
              continue nextFrame
            }
            case 46: {
              // CALL_NATIVE
              if (instructions[pc + 5] === 1 && ++this.depth > limits.depth)
                throw limitReached('depth', limits)
              const prepared = code.natives[instructions[pc + 2]!] as PreparedNative
              const first = base + instructions[pc + 3]!
              const count = instructions[pc + 4]!
              const { native } = prepared
              frame.target = instructions[pc + 1]!
              meter.beginNative()
              if ('body' in native) {
                stack[base + instructions[pc + 1]!] = this.callPlain(prepared, native.body, first, count)
                meter.endNative()
                this.depth--
                pc += 6
                break
              }
              frame.pc = pc + 6
              const args = this.arguments(prepared, first, count)
              if ('waits' in native) {
                // The memory it takes until it returns is counted as its own: nothing leads there yet.
                const given = prepared.isOfHost ? this.hostContext : context
                if (prepared.isOfHost) this.hostCalls++
                this.waitingFor = native.waits(given, ...(args as []))
                return 'waiting'
              }
              const steps = native.steps(context, ...(args as []))
              const next = this.open(code, base + code.registers)
              next.steps = steps
              next.containsFailures = native.containsFailures === true
              next.bytes = meter.endNative()
              this.returned = null
              continue nextFrame
            }
            case 47: {
              // CONSTRUCT
              if (instructions[pc + 4] === 1 && ++this.depth > limits.depth)
                throw limitReached('depth', limits)
              const template = code.templates[instructions[pc + 2]!] as ObjectTemplate
              stack[base + instructions[pc + 1]!] = this.object(template, base + instructions[pc + 3]!)
              this.depth--
              pc += 5
              break
            }
            case 48: {
              // APPEND
              if (instructions[pc + 3] === 1 && ++this.depth > limits.depth)
                throw limitReached('depth', limits)
              const first = base + instructions[pc + 2]!
              const receiver = stack[first]
              if (receiver instanceof ScriptArray) {
                const item = stack[first + 1] as Value
                meter.allocate(bytesOfPlaces(receiver, 1) + bytesInPlace(item))
                receiver.items.push(item)
                receiver.version++
                stack[base + instructions[pc + 1]!] = receiver
                this.depth--
                pc = instructions[pc + 4]!
              } else pc += 5
              break
            }
            case 49: {
              // RETURN
              const value = stack[base + instructions[pc + 1]!] as Value
              if (code.kind === 'function') this.depth--
              const caller = this.frames[--this.top] as Frame
              if (caller.steps === null) stack[caller.base + caller.target] = value
              else this.returned = value
              continue nextFrame
            }
            case 50: // EXIT
              if (instructions[pc + 2] === 1) {
                this.message = toText(stack[base + instructions[pc + 1]!] as Value, context.work)
              }
              if (this.contained() !== null) {
                throw new ScriptFailure('JM5002', 'A script cannot exit while a lambda decides how to sort')
              }
              return 'ended'
            case 51: // FAIL
              this.message =
                instructions[pc + 2] === 1
                  ? toText(stack[base + instructions[pc + 1]!] as Value, context.work)
                  : 'Script execution failed'
              throw new ScriptFailure('JM5004', this.message)
            case 52: // COERCE
              stack[base + instructions[pc + 1]!] = coerce(
                stack[base + instructions[pc + 2]!] as Value,
                instructions[pc + 3]!,
                code.constants[instructions[pc + 4]!] as string,
                context,
              )
              pc += 5
              break
            case 53: // CHECK_STEP
              checkStep(stack, base + instructions[pc + 1]!, equality)
              pc += 2
              break
            case 54: {
              // FIRST_ROUND
              const at = base + instructions[pc + 1]!
              const end = base + instructions[pc + 2]!
              const down = instructions[pc + 3] === 1
              if (typeof stack[at] !== 'number' || typeof stack[end] !== 'number') {
                readBounds(stack, { at, end, down }, equality)
              }
              const variable = stack[at] as number
              const limit = stack[end] as number
              if (down ? variable > limit : variable < limit) {
                if (++rounds > mostRounds) throw limitReached('loops', limits)
                pc += 5
              } else pc = instructions[pc + 4]!
              break
            }
            case 55: {
              // NEXT_ROUND
              const at = base + instructions[pc + 1]!
              const step = stack[base + instructions[pc + 2]!] as Value
              const limit = stack[base + instructions[pc + 3]!] as Value
              const down = instructions[pc + 4] === 1
              const before = stack[at] as Value
              const next = down
                ? compute('Subtract', before, step)
                : typeof before === 'number' && typeof step === 'number'
                  ? before + step
                  : add(before, step, context)
              stack[at] = next
              if (typeof next !== 'number' || typeof limit !== 'number') checkBounds(next, limit, down)
              if (down ? (next as number) > (limit as number) : (next as number) < (limit as number)) {
                if (++rounds > mostRounds) throw limitReached('loops', limits)
                pc = instructions[pc + 5]!
                if (--ticks < 0 || this.sliceIsOver) {
                  frame.pc = pc
                  if (this.mustPause(until)) return 'paused'
                  ticks = TICKS
                }
              } else pc += 6
              break
            }
            case 56: {
              // ITERATE
              const over = stack[base + instructions[pc + 2]!] as Value
              stack[base + instructions[pc + 1]!] = this.readers.begin(over)
              pc += 3
              break
            }
            case 57: {
              // NEXT_ITEM
              const iteration = stack[base + instructions[pc + 1]!] as Iteration
              const item = nextItem(iteration, context.work)
              if (item === undefined) {
                pc = instructions[pc + 3]!
                break
              }
              if (typeof iteration.over === 'string') meter.allocate(bytesOfUnit(item as string))
              stack[base + instructions[pc + 2]!] = item
              if (++rounds > mostRounds) throw limitReached('loops', limits)
              pc += 4
              if (--ticks < 0 || this.sliceIsOver) {
                frame.pc = pc
                if (this.mustPause(until)) return 'paused'
                ticks = TICKS
              }
              break
            }
            case 58: {
              // NEXT_PART
              const iteration = stack[base + instructions[pc + 1]!] as Iteration
              if (iteration.reader === null) {
                pc = instructions[pc + 3]!
                break
              }
              // The part before is free while the next one is read.
              iteration.take()
              stack[base + instructions[pc + 2]!] = null
              frame.target = instructions[pc + 2]!
              frame.pc = pc + 4
              this.depth++
              meter.beginNative()
              this.waitingFor = iteration.reader.next()
              return 'waiting'
            }
            case 59: {
              // TAKE_PART
              const iteration = stack[base + instructions[pc + 1]!] as Iteration
              const part = stack[base + instructions[pc + 2]!]
              if (part instanceof ScriptArray) {
                iteration.take(part)
                pc = instructions[pc + 3]!
              } else pc += 4
              break
            }
            case 60: // END_ITEMS
              this.readers.end(stack[base + instructions[pc + 1]!] as Iteration)
              pc += 2
              break
            case 61: {
              // TAG
              const value = stack[base + instructions[pc + 2]!]
              const tag = value instanceof ScriptObject ? value.get('_variant') : null
              stack[base + instructions[pc + 1]!] = typeof tag === 'string' ? tag : toText(tag, context.work)
              pc += 3
              break
            }
            case 62: // JUMP_UNLESS_TAG
              pc =
                stack[base + instructions[pc + 1]!] === code.constants[instructions[pc + 2]!]
                  ? pc + 4
                  : instructions[pc + 3]!
              break
            case 63: // UNSET
              throw new ScriptFailure(
                'JM5002',
                `The variable '${code.constants[instructions[pc + 1]!]}' is read before it has a value`,
              )
            case 64: {
              // STANDARD
              const at = base + instructions[pc + 1]!
              if (stack[at] === null) stack[at] = stack[base + instructions[pc + 2]!]
              pc += 3
              break
            }
            case 65: // NO_ARRAY
              throw wrongType('add', 'Array', stack[base + instructions[pc + 1]!] as Value)
            case 66: // UNSET_CELL
              meter.allocate(CELL_BYTES + NUMBER_BYTES)
              stack[base + instructions[pc + 1]!] = new Cell(undefined)
              pc += 2
              break
            default:
              throw new Error(`There is no instruction ${instructions[pc]}`)
          }
        }
      }
    } catch (error) {
      if (frame !== undefined) frame.pc = pc
      this.end(error)
      return 'ended'
    } finally {
      this.statements = statements
      this.rounds = rounds
    }
  }
}
