/** Turns expressions into instructions that leave their value in a register. */
import type {
  BinaryOperation,
  BinaryOperator,
  Call,
  Expression,
  Identifier,
  LambdaExpression,
  MatchExpression,
  MethodCall,
  Update,
} from '../syntax/ast.ts'
import { emitCall, isSimple } from './calls.ts'
import type { InstructionName } from './instructions.ts'
import { bindVariants } from './matches.ts'
import { type Compilation, Label, type Register, Unit } from './unit.ts'
import { assignVariable, beginVariable, isPlain, readVariable, typeNumber } from './variables.ts'

/**
 * The register that holds the value. It may belong to a variable or a literal: it must not be written to, and the value is
 * lost when the variable changes.
 */
export function operand(compilation: Compilation, unit: Unit, expression: Expression): Register {
  if (expression.kind === 'literal') return unit.literal(expression.value)
  if (expression.kind === 'identifier' && !compilation.resolution.unset.has(expression)) {
    const variable = compilation.resolution.used.get(expression)
    if (variable !== undefined && isPlain(unit, variable)) return unit.registerOf(variable)
  }
  const target = unit.take()
  compileInto(compilation, unit, expression, target)
  return target
}

/** Both operands of an operation. The left one is copied if it is a variable that the right one may change. */
export function operands(
  compilation: Compilation,
  unit: Unit,
  left: Expression,
  right: Expression,
): readonly [Register, Register] {
  if (!compilation.resolution.effects.has(right)) {
    return [operand(compilation, unit, left), operand(compilation, unit, right)]
  }
  const kept = unit.take()
  compileInto(compilation, unit, left, kept)
  return [kept, operand(compilation, unit, right)]
}

/** The target is written last, or when the variable that it may belong to is no longer read. */
export function compileInto(
  compilation: Compilation,
  unit: Unit,
  expression: Expression,
  target: Register,
): void {
  const taken = unit.taken
  compileParts(compilation, unit, expression, target)
  unit.release(taken)
}

function compileParts(compilation: Compilation, unit: Unit, expression: Expression, target: Register): void {
  const of = (part: Expression): Register => operand(compilation, unit, part)
  switch (expression.kind) {
    case 'literal':
      unit.emit('MOVE', target, unit.literal(expression.value))
      return
    case 'identifier':
      readIdentifier(compilation, unit, expression, target)
      return
    case 'array': {
      const first = consecutive(compilation, unit, expression.elements)
      unit.emit('ARRAY', target, first, expression.elements.length)
      return
    }
    case 'object': {
      const { members } = expression
      const first = consecutive(
        compilation,
        unit,
        members.map(({ value }) => value),
      )
      unit.emit('OBJECT', target, unit.template(members.map(({ key }) => key.text)), first)
      return
    }
    case 'property': {
      readProperty(compilation, unit, of(expression.object), expression.name.text, target)
      return
    }
    case 'index': {
      const [object, index] = operands(compilation, unit, expression.object, expression.index)
      unit.site(expression.span.start)
      unit.emit('GET_INDEX', target, object, index)
      return
    }
    case 'call':
    case 'method':
      compileCall(compilation, unit, expression, target)
      return
    case 'binary':
      compileBinary(compilation, unit, expression, target)
      return
    case 'unary': {
      const value = of(expression.operand)
      unit.site(expression.span.start, [value, expression.operand])
      unit.emit(expression.operator === '-' ? 'NEGATE' : 'NOT', target, value)
      return
    }
    case 'update':
      compileUpdate(compilation, unit, expression, target)
      return
    case 'is': {
      const value = of(expression.operand)
      unit.emit('IS', target, value, typeNumber(expression.type), expression.negated ? 1 : 0)
      return
    }
    case 'conditional': {
      const otherwise = new Label()
      const end = new Label()
      jumpUnless(compilation, unit, expression.condition, otherwise)
      compileInto(compilation, unit, expression.whenTrue, target)
      unit.emit('JUMP', end)
      unit.place(otherwise)
      compileInto(compilation, unit, expression.whenFalse, target)
      unit.place(end)
      return
    }
    case 'lambda':
      compileLambda(compilation, unit, expression, target)
      return
    case 'match-expression':
      compileMatch(compilation, unit, expression, target)
      return
  }
}

function compileCall(compilation: Compilation, unit: Unit, call: Call | MethodCall, target: Register): void {
  const resolved = compilation.script.calls.get(call)
  if (resolved === undefined) throw new Error('The linker let a call pass that calls nothing')
  const { target: called, args } = resolved
  const entersItself = args.every(isSimple)
  if (!entersItself) unit.emit('ENTER')
  const first = consecutive(compilation, unit, args)
  const { start: at } = call.kind === 'method' ? call.name.span : call.span
  const enters = entersItself ? 1 : 0
  emitCall(compilation, unit, called, { at, args, target, first, count: args.length, enters })
}

/** Puts the values into consecutive registers; returns the number of the first. */
function consecutive(
  compilation: Compilation,
  unit: Unit,
  expressions: readonly (Expression | null)[],
): Register {
  const first = unit.taken
  for (const expression of expressions) {
    const register = unit.take()
    if (expression === null) unit.emit('MOVE', register, unit.literal(null))
    else compileInto(compilation, unit, expression, register)
  }
  return first
}

/** In the service dialect arrays and texts have a length. */
export function readProperty(
  { script }: Compilation,
  unit: Unit,
  object: Register,
  name: string,
  target: Register,
): void {
  if (name === 'length' && script.dialect === 'service') unit.emit('LENGTH', target, object)
  else unit.emit('GET_PROPERTY', target, object, unit.constant(name), unit.cache())
}

function readIdentifier(
  { resolution }: Compilation,
  unit: Unit,
  identifier: Identifier,
  target: Register,
): void {
  const variable = resolution.used.get(identifier)
  if (variable === undefined) unit.emit('DATA', target)
  else if (resolution.unset.has(identifier)) {
    unit.site(identifier.span.start)
    unit.emit('UNSET', unit.constant(identifier.name))
  } else readVariable(unit, variable, target)
}

type Arithmetic = Exclude<BinaryOperator, 'and' | 'or'>

export const arithmetic: { readonly [O in Arithmetic]: InstructionName } = {
  '+': 'ADD',
  '-': 'SUBTRACT',
  '*': 'MULTIPLY',
  '/': 'DIVIDE',
  '%': 'MODULO',
  '==': 'EQUAL',
  '!=': 'UNEQUAL',
  '<': 'LESS',
  '<=': 'LESS_OR_EQUAL',
  '>': 'GREATER',
  '>=': 'GREATER_OR_EQUAL',
  '??': 'COALESCE',
}

function compileBinary(
  compilation: Compilation,
  unit: Unit,
  { operator, left, right, span }: BinaryOperation,
  target: Register,
): void {
  if (operator !== 'and' && operator !== 'or') {
    const [one, other] = operands(compilation, unit, left, right)
    unit.site(span.start, [one, left], [other, right])
    unit.emit(arithmetic[operator], target, one, other)
    return
  }
  // Not written to the target, which the right side may still read.
  const value = unit.take()
  const end = new Label()
  compileInto(compilation, unit, left, value)
  unit.emit(operator === 'and' ? 'JUMP_UNLESS' : 'JUMP_IF', value, end)
  compileInto(compilation, unit, right, value)
  unit.place(end)
  unit.emit('MOVE', target, value)
}

const comparisons: { readonly [O in BinaryOperator]?: InstructionName } = {
  '==': 'JUMP_UNLESS_EQUAL',
  '!=': 'JUMP_UNLESS_UNEQUAL',
  '<': 'JUMP_UNLESS_LESS',
  '<=': 'JUMP_UNLESS_LESS_OR_EQUAL',
  '>': 'JUMP_UNLESS_GREATER',
  '>=': 'JUMP_UNLESS_GREATER_OR_EQUAL',
}

/** Jumps to the label unless the condition holds. */
export function jumpUnless(compilation: Compilation, unit: Unit, condition: Expression, label: Label): void {
  const taken = unit.taken
  const comparison = condition.kind === 'binary' ? comparisons[condition.operator] : undefined
  if (condition.kind === 'binary' && condition.operator === 'and') {
    jumpUnless(compilation, unit, condition.left, label)
    jumpUnless(compilation, unit, condition.right, label)
  } else if (condition.kind === 'binary' && comparison !== undefined) {
    const [one, other] = operands(compilation, unit, condition.left, condition.right)
    unit.site(condition.span.start, [one, condition.left], [other, condition.right])
    unit.emit(comparison, one, other, label)
  } else {
    unit.emit('JUMP_UNLESS', operand(compilation, unit, condition), label)
  }
  unit.release(taken)
}

/** Gives the old value for a postfix operator, the new one for a prefix operator. Containers and indexes are evaluated once. */
function compileUpdate(
  compilation: Compilation,
  unit: Unit,
  { operator, prefix, target: updated }: Update,
  target: Register,
): void {
  const change = operator === '++' ? 'ADD' : 'SUBTRACT'
  const one = unit.literal(1)
  const before = unit.take()
  const after = unit.take()
  if (updated.kind === 'identifier') {
    readIdentifier(compilation, unit, updated, before)
    unit.site(updated.span.start, [before, updated])
    unit.emit(change, after, before, one)
    assignVariable(compilation, unit, updated, after)
    // With a hint the variable may hold a value other than the sum.
    if (prefix && compilation.resolution.hints.has(updated)) readIdentifier(compilation, unit, updated, after)
  } else if (updated.kind === 'property') {
    const object = operand(compilation, unit, updated.object)
    readProperty(compilation, unit, object, updated.name.text, before)
    unit.site(updated.span.start, [before, updated])
    unit.emit(change, after, before, one)
    unit.site(updated.span.start, [object, updated.object])
    unit.emit('SET_PROPERTY', object, unit.constant(updated.name.text), after, unit.cache())
  } else if (updated.kind === 'index') {
    const [object, index] = operands(compilation, unit, updated.object, updated.index)
    unit.site(updated.span.start)
    unit.emit('GET_INDEX', before, object, index)
    unit.site(updated.span.start, [before, updated])
    unit.emit(change, after, before, one)
    unit.site(updated.span.start, [object, updated.object])
    unit.emit('SET_INDEX', object, index, after)
  }
  unit.emit('MOVE', target, prefix ? after : before)
}

function compileLambda(
  compilation: Compilation,
  unit: Unit,
  lambda: LambdaExpression,
  target: Register,
): void {
  const inner = new Unit('a lambda', lambda, unit, compilation.emptyShape)
  const variables = lambda.parameters.map((name) => compilation.resolution.declared.get(name)!)
  for (const variable of variables) inner.bind(variable, inner.take())
  for (const variable of variables) beginVariable(inner, variable)
  inner.emit('RETURN', operand(compilation, inner, lambda.body))
  const isPure = !compilation.resolution.effects.has(lambda.body)
  unit.emit('LAMBDA', target, unit.code(inner.finish({}, 'lambda', lambda.parameters.length, isPure)))
}

function compileMatch(
  compilation: Compilation,
  unit: Unit,
  { subject, arms }: MatchExpression,
  target: Register,
): void {
  const result = unit.take()
  const value = unit.take()
  compileInto(compilation, unit, subject, value)
  const end = new Label()
  bindVariants(compilation, unit, value, arms, end, (arm) =>
    compileInto(compilation, unit, arm.value, result),
  )
  unit.emit('MOVE', result, unit.literal(null))
  unit.place(end)
  unit.emit('MOVE', target, result)
}
