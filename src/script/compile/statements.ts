/** Turns statements into instructions. */
import type {
  Assignment,
  Block,
  DeleteStatement,
  Expression,
  ForEachStatement,
  ForStatement,
  IfStatement,
  Statement,
  SwitchStatement,
  VariableDeclaration,
  WhileStatement,
} from '../syntax/ast.ts'
import { arithmetic, compileInto, jumpUnless, operand, operands, readProperty } from './expressions.ts'
import { bindVariants } from './matches.ts'
import { type Compilation, Label, type Register, type Unit } from './unit.ts'
import { assignVariable, isPlain, readVariable, typeNumber, writeVariable } from './variables.ts'

/** Compiles the outermost block of a unit: its variables stay until the end. */
export function compileStatements(compilation: Compilation, unit: Unit, { statements }: Block): void {
  for (const statement of statements) compileStatement(compilation, unit, statement)
}

/** The variables of the block free their registers at its end. */
function compileBlock(compilation: Compilation, unit: Unit, block: Block): void {
  const taken = unit.taken
  compileStatements(compilation, unit, block)
  unit.release(taken)
}

const uncounted: ReadonlySet<Statement['kind']> = new Set([
  'import',
  'function',
  'union',
  'break',
  'continue',
])

function compileStatement(compilation: Compilation, unit: Unit, statement: Statement): void {
  unit.mark(statement.span.start)
  if (!uncounted.has(statement.kind)) unit.emit('STEP')
  if (statement.kind === 'var') {
    compileVariable(compilation, unit, statement)
    return
  }
  const taken = unit.taken
  compileParts(compilation, unit, statement)
  unit.release(taken)
}

function compileParts(
  compilation: Compilation,
  unit: Unit,
  statement: Exclude<Statement, VariableDeclaration>,
): void {
  switch (statement.kind) {
    case 'import':
    case 'function':
    case 'union':
      return
    case 'if':
      compileIf(compilation, unit, statement)
      return
    case 'while':
      compileWhile(compilation, unit, statement)
      return
    case 'for':
      compileFor(compilation, unit, statement)
      return
    case 'foreach':
      compileForEach(compilation, unit, statement)
      return
    case 'switch':
      compileSwitch(compilation, unit, statement)
      return
    case 'match': {
      const value = unit.take()
      compileInto(compilation, unit, statement.subject, value)
      const end = new Label()
      bindVariants(compilation, unit, value, statement.arms, end, ({ body }) =>
        compileBlock(compilation, unit, body),
      )
      unit.place(end)
      return
    }
    case 'return':
      if (unit.owner === null) {
        leave(compilation, unit, 'EXIT', statement.value)
        return
      }
      compileReturn(compilation, unit, statement.value)
      return
    case 'exit':
      leave(compilation, unit, 'EXIT', statement.value)
      return
    case 'fail':
      leave(compilation, unit, 'FAIL', statement.value)
      return
    case 'break':
      unit.emit('JUMP', compilation.loops.at(-1)!.end)
      return
    case 'continue':
      unit.emit('JUMP', compilation.loops.at(-1)!.next)
      return
    case 'delete':
      compileDelete(compilation, unit, statement)
      return
    case 'assign':
      compileAssignment(compilation, unit, statement)
      return
    case 'expression':
      operand(compilation, unit, statement.expression)
      return
  }
}

function compileReturn(compilation: Compilation, unit: Unit, value: Expression | null): void {
  const returned = value === null ? unit.literal(null) : operand(compilation, unit, value)
  for (const { iterator } of compilation.loops) if (iterator !== undefined) unit.emit('END_ITEMS', iterator)
  unit.emit('RETURN', returned)
}

function leave(compilation: Compilation, unit: Unit, how: 'EXIT' | 'FAIL', value: Expression | null): void {
  const message = value === null ? unit.literal(null) : operand(compilation, unit, value)
  unit.emit(how, message, value === null ? 0 : 1)
}

/** The register stays taken until the end of the block. */
function compileVariable(
  compilation: Compilation,
  unit: Unit,
  { name, hint, value }: VariableDeclaration,
): void {
  const variable = compilation.resolution.declared.get(name)!
  const register = unit.take()
  unit.bind(variable, register)
  // A lambda in the initialiser may already capture the variable.
  if (variable.captured) unit.emit('UNSET_CELL', register)
  const first = variable.captured ? unit.take() : register
  if (value === null) unit.emit('MOVE', first, unit.literal(null))
  else compileInto(compilation, unit, value, first)
  if (hint !== null) {
    if (value !== null) unit.site(value.span.start, [first, value])
    unit.emit('COERCE', first, first, typeNumber(hint), unit.constant(name.text))
  }
  if (variable.captured) unit.emit('SET_CELL', register, first)
}

function compileIf(compilation: Compilation, unit: Unit, { branches, otherwise, span }: IfStatement): void {
  const end = new Label()
  for (const [place, { condition, body }] of branches.entries()) {
    const next = new Label()
    // A failing condition is reported at the whole statement.
    if (place > 0) unit.mark(span.start)
    jumpUnless(compilation, unit, condition, next)
    compileBlock(compilation, unit, body)
    if (place < branches.length - 1 || otherwise !== null) unit.emit('JUMP', end)
    unit.place(next)
  }
  if (otherwise !== null) compileBlock(compilation, unit, otherwise)
  unit.place(end)
}

function compileWhile(compilation: Compilation, unit: Unit, { condition, body }: WhileStatement): void {
  const next = new Label()
  const end = new Label()
  unit.place(next)
  jumpUnless(compilation, unit, condition, end)
  unit.emit('ROUND')
  compileLoopBody(compilation, unit, body, { end, next })
  unit.emit('JUMP', next)
  unit.place(end)
}

function compileLoopBody(
  compilation: Compilation,
  unit: Unit,
  body: Block,
  loop: Compilation['loops'][number],
): void {
  compilation.loops.push(loop)
  compileBlock(compilation, unit, body)
  compilation.loops.pop()
}

/** Bounds and step are evaluated once, in this order, outside the loop's scope; the step is checked before the bounds. */
function compileFor(compilation: Compilation, unit: Unit, statement: ForStatement): void {
  const { variable: name, from, to, step, direction, body, span } = statement
  const variable = compilation.resolution.declared.get(name)!
  const current = unit.take()
  const limit = unit.take()
  const by = unit.take()
  compileInto(compilation, unit, from, current)
  compileInto(compilation, unit, to, limit)
  if (step === null) unit.emit('MOVE', by, unit.literal(1))
  else {
    compileInto(compilation, unit, step, by)
    unit.site(step.span.start, [by, step])
    unit.emit('CHECK_STEP', by)
  }
  const down = direction === 'downto' ? 1 : 0
  const [end, next, round] = [new Label(), new Label(), new Label()]
  const register = variable.captured ? unit.take() : current
  unit.bind(variable, register)
  unit.site(from.span.start, [current, from], [limit, to])
  unit.emit('FIRST_ROUND', current, limit, down, end)
  if (variable.captured) {
    unit.emit('MOVE', register, current)
    unit.emit('CELL', register)
  }
  unit.place(round)
  compileLoopBody(compilation, unit, body, { end, next })
  unit.place(next)
  unit.mark(span.start)
  if (variable.captured) readVariable(unit, variable, current)
  if (variable.captured) compileCapturedRound(unit, { current, limit, by, register }, down, round)
  else unit.emit('NEXT_ROUND', current, by, limit, down, round)
  unit.place(end)
}

/** A lambda may read the loop's variable, so it has to be up to date before the next round. */
function compileCapturedRound(
  unit: Unit,
  { current, limit, by, register }: { readonly [R in 'current' | 'limit' | 'by' | 'register']: Register },
  down: 0 | 1,
  round: Label,
): void {
  const again = new Label()
  const over = new Label()
  unit.emit('NEXT_ROUND', current, by, limit, down, again)
  unit.emit('SET_CELL', register, current)
  unit.emit('JUMP', over)
  unit.place(again)
  unit.emit('SET_CELL', register, current)
  unit.emit('JUMP', round)
  unit.place(over)
}

function compileForEach(
  compilation: Compilation,
  unit: Unit,
  { variable: name, collection, body, span }: ForEachStatement,
): void {
  const variable = compilation.resolution.declared.get(name)!
  const iterator = unit.take()
  const item = unit.take()
  compileInto(compilation, unit, collection, item)
  unit.site(collection.span.start, [item, collection])
  unit.emit('ITERATE', iterator, item)
  const register = variable.captured ? unit.take() : item
  unit.bind(variable, register)
  if (variable.captured) {
    unit.emit('MOVE', register, unit.literal(null))
    unit.emit('CELL', register)
  }
  const [next, part, end] = [new Label(), new Label(), new Label()]
  unit.place(next)
  unit.mark(span.start)
  unit.emit('NEXT_ITEM', iterator, item, part)
  if (variable.captured) writeVariable(unit, variable, item)
  compileLoopBody(compilation, unit, body, { end, next, iterator })
  unit.emit('JUMP', next)
  unit.place(part)
  unit.mark(span.start)
  unit.emit('NEXT_PART', iterator, item, end)
  unit.emit('TAKE_PART', iterator, item, next)
  unit.place(end)
  unit.emit('END_ITEMS', iterator)
}

function compileSwitch(compilation: Compilation, unit: Unit, statement: SwitchStatement): void {
  const { subject, arms, otherwise, span } = statement
  const value = unit.take()
  compileInto(compilation, unit, subject, value)
  const end = new Label()
  for (const { values, body } of arms) {
    const [found, next] = [new Label(), new Label()]
    for (const [place, wanted] of values.entries()) {
      const taken = unit.taken
      const another = place === values.length - 1 ? next : new Label()
      unit.mark(span.start)
      unit.emit('JUMP_UNLESS_CASE', value, operand(compilation, unit, wanted), another)
      unit.release(taken)
      if (another === next) continue
      unit.emit('JUMP', found)
      unit.place(another)
    }
    unit.place(found)
    compileBlock(compilation, unit, body)
    unit.emit('JUMP', end)
    unit.place(next)
  }
  if (otherwise !== null) compileBlock(compilation, unit, otherwise)
  unit.place(end)
}

function compileDelete(compilation: Compilation, unit: Unit, { target }: DeleteStatement): void {
  if (target.kind === 'property') {
    const object = operand(compilation, unit, target.object)
    unit.site(target.span.start, [object, target.object])
    unit.emit('DELETE_PROPERTY', object, unit.constant(target.name.text))
  } else if (target.kind === 'index') {
    const [object, index] = operands(compilation, unit, target.object, target.index)
    unit.site(target.span.start, [object, target.object])
    unit.emit('DELETE_INDEX', object, index)
  }
}

function compileAssignment(compilation: Compilation, unit: Unit, statement: Assignment): void {
  const { target, operator, value } = statement
  if (target.kind !== 'identifier') {
    compileWrite(compilation, unit, statement)
    return
  }
  const variable = compilation.resolution.used.get(target)!
  const isDirect = isPlain(unit, variable) && !compilation.resolution.hints.has(target)
  const result = isDirect ? unit.registerOf(variable) : unit.take()
  if (operator === '=') compileInto(compilation, unit, value, result)
  else {
    const [one, other] = operands(compilation, unit, target, value)
    unit.site(target.span.start, [one, target], [other, value])
    unit.emit(operationOf(operator), result, one, other)
  }
  if (!isDirect) assignVariable(compilation, unit, target, result)
}

const operationOf = (operator: Exclude<Assignment['operator'], '='>) =>
  arithmetic[operator.charAt(0) as '+' | '-' | '*' | '/' | '%']

/** A compound assignment evaluates container and index twice, once to write and once to read. */
function compileWrite(compilation: Compilation, unit: Unit, { target, operator, value }: Assignment): void {
  if (target.kind === 'identifier') return
  const place = () => placeOf(compilation, unit, target, [value])
  const written = place()
  let result: Register
  if (operator === '=') result = operand(compilation, unit, value)
  else {
    const read = compilation.resolution.effects.has(target) ? place() : written
    const before = unit.take()
    if (target.kind === 'property') {
      readProperty(compilation, unit, read.object, target.name.text, before)
    } else unit.emit('GET_INDEX', before, read.object, read.index)
    result = unit.take()
    const other = operand(compilation, unit, value)
    unit.site(target.span.start, [before, target], [other, value])
    unit.emit(operationOf(operator), result, before, other)
  }
  unit.site(target.span.start, [written.object, target.object])
  if (target.kind === 'property') {
    unit.emit('SET_PROPERTY', written.object, unit.constant(target.name.text), result, unit.cache())
  } else unit.emit('SET_INDEX', written.object, written.index, result)
}

/** Container and index, copied if they are variables that evaluating the other expressions may change. */
function placeOf(
  compilation: Compilation,
  unit: Unit,
  target: Exclude<Assignment['target'], { readonly kind: 'identifier' }>,
  later: readonly Expression[],
): { readonly object: Register; readonly index: Register } {
  const { effects } = compilation.resolution
  const index = target.kind === 'index' ? target.index : null
  const mayChange = effects.has(target) || later.some((expression) => effects.has(expression))
  const of = (expression: Expression): Register => {
    if (!mayChange) return operand(compilation, unit, expression)
    const kept = unit.take()
    compileInto(compilation, unit, expression, kept)
    return kept
  }
  const object = of(target.object)
  return { object, index: index === null ? object : of(index) }
}
