/**
 * State of a run between two instructions: the stack, the calls in progress, the counts, and how it ended. The machine itself is
 * the loop over the instructions in `machine.ts`.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { Code, ObjectTemplate, PreparedNative, Program } from '../compile/code.ts'
import { type LimitName, ScriptFailure } from '../failure.ts'
import { pointOf, type ScriptProblem } from '../script-problem.ts'
import { messageInModule, moduleAt } from '../source-map.ts'
import type { NativeContext } from '../stdlib/definition.ts'
import {
  bytesInPlace,
  bytesOfList,
  bytesOfUnit,
  FRAME_BYTES,
  LAMBDA_BYTES,
  NUMBER_BYTES,
  OBJECT_BYTES,
  PLACE_BYTES,
} from '../values/sizes.ts'
import { ScriptObject, type Value } from '../values/value.ts'
import { argument } from './arguments.ts'
import { hostContext, nativeContext } from './context.ts'
import { failedExpression, failurePlace } from './failure-place.ts'
import { type Cell, Frame, Lambda, noCells, type Slot } from './frame.ts'
import { type Limits, limitReached } from './limits.ts'
import { LIST_HEAD_BYTES, Meter } from './meter.ts'
import { OpenReaders } from './open-readers.ts'
import { type Equality, elementOf, setMember } from './operations.ts'
import { HEAP_SHORT, type HeapPlace, type HeapTenant } from './shared-heap.ts'

export type MachineOptions = {
  readonly limits: Limits
  readonly cancellation?: Cancellation | undefined
  /** How many statements, rounds and calls of lambdas run before the machine pauses; by default it pauses by the clock. */
  readonly pauseAfter?: number | undefined
  /** The value that functions of the host find as `context.host`. */
  readonly host?: unknown
  /** The owner of the run: owners take turns on the thread. */
  readonly owner?: string | undefined
  /** Gets the run when it pauses for the first time: only then can anybody read its counts, and most runs end before. */
  readonly watched?:
    | { run?: { readonly counts: MachineState['counts']; readonly hostCalls: number } | undefined }
    | undefined
  readonly place?: RunPlace | undefined
  /** The share of the memory of the thread; without one, only the limit of the run counts. */
  readonly heap?: HeapPlace | undefined
}

/** The place of a run among those that work at the same time. A run that waits for long leaves it to another run. */
export type RunPlace = {
  readonly leave: () => void
  /** Resolves when the run has a place again. */
  readonly retake: () => Promise<void>
}

export abstract class MachineState {
  /** The root, which the script changes. */
  data: Value = null
  /** The problem that ended the run; null if it ended well. */
  problem: ScriptProblem | null = null
  /** The limit that ended the run; null if none did. */
  limit: LimitName | null = null
  /** The message of `exit` or `fail`. */
  message: string | null = null
  /** The result that the run waits for. */
  waitingFor: Promise<Value> | null = null
  readonly context: NativeContext
  /** The context of the host, which hands in `Data` and the results of its functions. */
  protected readonly hostContext: NativeContext
  /** Equality of the operators, which depends on the dialect. */
  protected readonly equality: Equality
  readonly owner: string | undefined
  readonly place: RunPlace | undefined
  readonly watched: MachineOptions['watched']
  protected readonly program: Program
  readonly limits: Limits
  protected readonly cancellation: Cancellation | undefined
  protected readonly pauseAfter: number | undefined
  protected readonly meter: Meter
  protected readonly stack: Slot[] = []
  protected readonly frames: Frame[] = []
  /** Index of the current frame; frames above it are kept for later calls. */
  protected top = -1
  protected depth = 0
  protected statements = 0
  protected rounds = 0
  /** When the time limit is reached, by `performance.now()`. */
  readonly deadline: number
  /** When the current slice took the thread. */
  #takenAt: number
  /** When the current slice ends. */
  #until = Number.POSITIVE_INFINITY
  /** Whether functions and operators have used up the slice: then the run pauses at the next statement, not after many. */
  protected sliceIsOver = false
  /** The value that a lambda returned to the native function that called it. */
  protected returned: Value = null
  /** The sequences that loops are reading. */
  readonly readers = new OpenReaders()
  /** Why the run was ended while it did not run; null if it was not. */
  abandoned: ScriptFailure | null = null
  /** Why the result that the run waited for did not come. */
  protected refusal: unknown = undefined

  constructor(
    program: Program,
    { limits, cancellation, pauseAfter, host, owner, place, watched, heap }: MachineOptions,
  ) {
    this.program = program
    this.owner = owner
    this.place = place
    this.watched = watched
    this.limits = limits
    this.cancellation = cancellation
    this.pauseAfter = pauseAfter
    this.#takenAt = performance.now()
    this.deadline = this.#takenAt + limits.milliseconds
    this.meter = new Meter(
      limits,
      {
        roots: () => this.roots(),
        held: () => this.held(),
        hasSteps: () => this.frames.some(({ steps }, i) => i <= this.top && steps !== null),
        work: (units) => this.context.work(units),
      },
      heap,
    )
    heap?.begin(this.#tenant())
    this.context = nativeContext(program, this.meter, {
      host,
      cancellation: new UntilOver(this),
      checkTime: () => {
        if (this.checkTime() >= this.#until) this.sliceIsOver = true
      },
    })
    this.hostContext = hostContext(this.context, program, this.meter)
    const isService = program.dialect === 'service'
    this.equality = {
      work: this.context.work,
      nullEqualsNull: isService,
      numericTextIsNumber: isService,
    }
  }

  /** Reads the root. It is counted in full while it is read, because nothing leads to it yet. */
  receive(read: (context: NativeContext) => Value): void {
    this.meter.beginNative()
    this.data = read(this.hostContext)
    this.meter.endNative()
  }

  /** Statements and rounds of loops that have begun. */
  get counts(): { readonly statements: number; readonly rounds: number } {
    return { statements: this.statements, rounds: this.rounds }
  }

  /** Milliseconds left of the time limit. */
  get timeLeft(): number {
    return this.deadline - performance.now()
  }

  /** Milliseconds in which the run worked, or waited for functions of the host. Other runs may have held the thread in between. */
  usedMs = 0
  /** Calls of functions of the host. */
  hostCalls = 0

  /** The result that the run waited for has come. */
  settle(value: Value): void {
    const frame = this.frames[this.top] as Frame
    this.stack[frame.base + frame.target] = value
    this.meter.endNative()
    this.waitingFor = null
    this.depth--
  }

  get isCancelled(): boolean {
    return this.cancellation?.aborted === true
  }

  #tenant(): HeapTenant {
    const { meter } = this
    return {
      get charged() {
        return meter.charged
      },
      measure: () => meter.measure(),
      end: (failure) => this.#abandon(failure),
    }
  }

  /** Ends the run from outside, between two slices: it fails when it is to go on. Nothing keeps its values until then. */
  #abandon(failure: ScriptFailure): void {
    this.abandoned = failure
    this.refusal = failure
    this.data = null
    this.returned = null
    this.stack.length = 0
    for (const frame of this.frames) {
      frame.captured = noCells
      frame.steps = null
      frame.holding = null
    }
  }

  /** The result that the run waited for will not come. */
  refuse(reason: unknown): void {
    this.meter.endNative()
    this.waitingFor = null
    this.refusal = reason
  }

  /** Opens a frame on top, whose registers begin at this place of the stack. */
  protected open(code: Code, base: number): Frame {
    const top = ++this.top
    const known = this.frames[top]
    const frame = known ?? new Frame(code)
    // Frames are kept for later calls.
    if (known === undefined) this.frames.push(frame)
    frame.code = code
    frame.pc = 0
    frame.base = base
    frame.captured = noCells
    frame.steps = null
    frame.containsFailures = false
    frame.bytes = 0
    frame.holding = null
    // The frame can be measured only from here on.
    if (known === undefined) this.meter.allocate(FRAME_BYTES)
    return frame
  }

  protected push(code: Code, base: number): Frame {
    const frame = this.open(code, base)
    const stack = this.stack
    const more = base + code.registers - stack.length
    if (more > 0) {
      this.meter.allocate((PLACE_BYTES + NUMBER_BYTES) * more)
      for (let i = 0; i < more; i++) stack.push(null)
    }
    const { literals } = code
    const firstLiteral = base + code.firstLiteral
    for (let i = 0; i < literals.length; i++) stack[firstLiteral + i] = literals[i]
    return frame
  }

  /** Runs the next step of a native function, which calls a lambda or gives the result. */
  protected goOn(frame: Frame): void {
    this.meter.beginNative()
    const { done, value } = (frame.steps as NonNullable<Frame['steps']>).next(this.returned)
    frame.bytes += this.meter.endNative()
    if (done) {
      frame.steps = null
      this.depth--
      const caller = this.frames[--this.top] as Frame
      this.stack[caller.base + caller.target] = value
      return
    }
    const { callback, args, holding } = value
    if (holding !== undefined) frame.holding = holding
    const { code, captured } = callback as Lambda
    if (code.parameterCount > args.length) {
      throw new ScriptFailure(
        'JM5002',
        `The lambda has ${code.parameterCount} parameters; it is called with ${args.length}`,
      )
    }
    const next = this.push(code, frame.base)
    next.captured = captured
    for (let i = 0; i < code.parameterCount; i++) this.stack[next.base + i] = args[i]
  }

  protected callPlain(
    prepared: PreparedNative,
    body: (context: NativeContext, ...args: never[]) => Value,
    first: number,
    count: number,
  ): Value {
    const call = body as (context: NativeContext, ...args: (Value | undefined)[]) => Value
    const { kinds } = prepared
    const context = prepared.isOfHost ? this.hostContext : this.context
    if (prepared.isOfHost) this.hostCalls++
    const stack = this.stack
    const at = (i: number): Value | undefined =>
      i < count ? argument(prepared, kinds[i]!, stack[first + i] as Value, context) : undefined
    switch (kinds.length) {
      case 0:
        return call(context)
      case 1:
        return call(context, at(0))
      case 2:
        return call(context, at(0), at(1))
      case 3:
        return call(context, at(0), at(1), at(2))
      default:
        return call(context, ...kinds.map((_, i) => at(i)))
    }
  }

  protected arguments(prepared: PreparedNative, first: number, count: number): (Value | undefined)[] {
    return prepared.kinds.map((kind, i) =>
      i < count ? argument(prepared, kind, this.stack[first + i] as Value, this.context) : undefined,
    )
  }

  protected object({ keys, shape, tag }: ObjectTemplate, first: number): ScriptObject {
    const stack = this.stack
    const tagged = tag === null ? 0 : 1
    let bytes = OBJECT_BYTES + bytesOfList(keys.length)
    for (let i = tagged; i < keys.length; i++) bytes += bytesInPlace(stack[first + i - tagged] as Value)
    this.meter.allocate(bytes)
    if (shape !== null) {
      // A slice has no places in reserve.
      const slots = stack.slice(first - tagged, first - tagged + keys.length) as Value[]
      if (tag !== null) slots[0] = tag
      return new ScriptObject(shape, slots)
    }
    const object = new ScriptObject(this.program.emptyShape, [])
    for (const [i, key] of keys.entries()) {
      setMember(
        object,
        key,
        i < tagged ? (tag as string) : (stack[first + i - tagged] as Value),
        this.context,
      )
    }
    return object
  }

  /** The slow path: the machine itself takes the element of an array. */
  protected element(container: Value, index: Value): Value {
    const found = elementOf(container, index)
    if (typeof container === 'string' && typeof found === 'string') this.meter.allocate(bytesOfUnit(found))
    return found
  }

  protected lambda({ base, captured }: Frame, code: Code): Lambda {
    const { length } = code.captures
    this.meter.allocate(LAMBDA_BYTES + (length === 0 ? 0 : LIST_HEAD_BYTES + bytesOfList(length)))
    if (length === 0) return new Lambda(code, noCells)
    const cells = code.captures.map(({ from, place }) =>
      from === 'register' ? (this.stack[base + place] as Cell) : (captured[place] as Cell),
    )
    return new Lambda(code, cells)
  }

  /** @throws ScriptFailure when the time is over or the run was cancelled */
  protected checkTime(): number {
    const now = performance.now()
    if (now > this.deadline) throw limitReached('milliseconds', this.limits)
    if (this.cancellation?.aborted) throw new ScriptFailure('JM5003', 'The run was cancelled')
    const isHolding = this.waitingFor === null && Number.isFinite(this.deadline)
    if (isHolding && now - this.#takenAt > MOST_HELD_MS) throw heldTooLong()
    return now
  }

  /** Begins a slice, which ends at this time of the clock. */
  protected takeThread(until: number): void {
    this.#takenAt = performance.now()
    this.#until = until
    this.sliceIsOver = false
    this.checkTime()
  }

  protected mustPause(until: number): boolean {
    return this.checkTime() >= until || this.pauseAfter !== undefined
  }

  protected takeRefusal(): unknown {
    const refusal = this.refusal
    this.refusal = undefined
    return refusal
  }

  /** Ends the run with a failure. */
  end(error: unknown): void {
    const failure = asFailure(error)
    const contained = this.contained()
    this.limit = failure.limit
    // What ends a run for the others is no fault of the lambda in which it was found.
    const code = contained === null || failure.code === HEAP_SHORT ? failure.code : 'JM5002'
    if (contained !== null) this.message = null
    const top = contained === null ? this.top : contained
    const problem = { code, ...this.#blamed(failure, top), at: failurePlace(this.frames, top) }
    this.problem = this.program.sources.length === 0 ? problem : this.#outsideModules(problem, top)
  }

  /** A failure in a module is told at the statement of the script that led there. */
  #outsideModules(problem: ScriptProblem, top: number): ScriptProblem {
    const { sources, text } = this.program
    const at = pointOf(problem)
    const source = at === null ? undefined : moduleAt(sources, at)
    if (at === null || source === undefined) return problem
    const { code } = problem
    const isOfScript = code === FAILED_BY_SCRIPT
    const message = isOfScript ? problem.message : messageInModule(source, text, at, problem.message)
    return { code, message, at: failurePlace(this.frames, top, (place) => !moduleAt(sources, place)) }
  }

  /** The message with the name of what was null, and the place of the expression. */
  #blamed({ code, limit, message }: ScriptFailure, top: number): Omit<ScriptProblem, 'code' | 'at'> {
    const blamed = limit === null ? failedExpression(this.frames, top, this.stack, this.program.text) : null
    if (blamed === null) return { message }
    const isAboutNull = code !== FAILED_BY_SCRIPT && /\bNull\b/.test(message)
    if (blamed.nullPart === null || !isAboutNull) return { message, expressionAt: blamed.expressionAt }
    return { message: `${message}; ${blamed.nullPart}`, expressionAt: blamed.nullAt }
  }

  /** The lowest frame in which every failure becomes a failure of the call. */
  protected contained(): number | null {
    for (let i = 0; i <= this.top; i++) if ((this.frames[i] as Frame).containsFailures) return i
    return null
  }

  protected *roots(): Generator<Slot, void, undefined> {
    yield this.data
    yield this.returned
    if (this.top < 0) return
    const { base, code } = this.frames[this.top] as Frame
    // Values left on the stack by finished calls are released.
    this.stack.length = Math.min(this.stack.length, base + code.registers)
    for (const slot of this.stack) yield slot
    for (let i = 0; i <= this.top; i++) {
      const { captured, holding } = this.frames[i] as Frame
      yield holding
      yield* captured
    }
  }

  protected held(): number {
    let bytes = 0
    for (let i = 0; i <= this.top; i++) bytes += FRAME_BYTES + (this.frames[i] as Frame).bytes
    return bytes
  }
}

/**
 * The longest time for one step, such as a call of a library function. A step cannot be interrupted to let other runs have their
 * turn, and a thread that is busy for twice as long counts as stuck.
 */
const MOST_HELD_MS = 5000

const heldTooLong = (): ScriptFailure =>
  new ScriptFailure(
    'JM5903',
    `The run was ended: a single step took more than ${MOST_HELD_MS} milliseconds (milliseconds)`,
    'milliseconds',
  )

/** Lets slow functions find out whether the run still waits for them. */
class UntilOver implements Cancellation {
  readonly #run: Pick<MachineState, 'isCancelled' | 'abandoned' | 'timeLeft'>

  constructor(run: Pick<MachineState, 'isCancelled' | 'abandoned' | 'timeLeft'>) {
    this.#run = run
  }

  get aborted(): boolean {
    return this.#run.isCancelled || this.#run.abandoned !== null || this.#run.timeLeft <= 0
  }

  get reason(): unknown {
    return new ScriptFailure('JM5003', 'The run does not wait any longer')
  }
}

/** The message of `fail` is the script's own. */
const FAILED_BY_SCRIPT = 'JM5004'

/** JavaScript itself bounds texts and arrays; only runs without limits reach those bounds. */
function asFailure(error: unknown): ScriptFailure {
  if (error instanceof ScriptFailure) return error
  if (error instanceof RangeError)
    return new ScriptFailure('JM5002', `A value became too large: ${error.message}`)
  throw error
}
