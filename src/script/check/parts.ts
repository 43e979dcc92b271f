/**
 * Lists the parts of statements and expressions in text order. Scripts may be nested deeply, long chains of operators above
 * all, so trees are walked with a list of the nodes to come instead of recursive calls.
 */
import type { Arguments, Block, Expression, Script, Statement } from '../syntax/ast.ts'

export type Node = Statement | Expression

/** Every statement and expression of a script, each before its parts, in text order. */
export function* nodesOf(script: Script): Generator<Node> {
  const toCome: Node[] = []
  pushInOrder(toCome, script.body.statements)
  for (let node = toCome.pop(); node !== undefined; node = toCome.pop()) {
    yield node
    pushInOrder(toCome, isStatement(node) ? statementParts(node) : expressionParts(node))
  }
}

/** Pushes in reverse, so that `pop` returns the first item first. */
export function pushInOrder<T>(stack: T[], items: readonly T[]): void {
  for (let i = items.length - 1; i >= 0; i--) stack.push(items[i]!)
}

export function expressionParts(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'identifier':
      return []
    case 'array':
      return expression.elements
    case 'object':
      return expression.members.map(({ value }) => value)
    case 'property':
      return [expression.object]
    case 'index':
      return [expression.object, expression.index]
    case 'call':
      return argumentValues(expression.arguments)
    case 'method':
      return [expression.receiver, ...argumentValues(expression.arguments)]
    case 'binary':
      return [expression.left, expression.right]
    case 'unary':
    case 'is':
      return [expression.operand]
    case 'update':
      return [expression.target]
    case 'conditional':
      return [expression.condition, expression.whenTrue, expression.whenFalse]
    case 'lambda':
      return [expression.body]
    case 'match-expression':
      return [expression.subject, ...expression.arms.map(({ value }) => value)]
  }
}

const argumentValues = (args: Arguments): readonly Expression[] =>
  args.kind === 'positional' ? args.values : args.values.map(({ value }) => value)

const statementKinds: { readonly [Kind in Node['kind']]: Kind extends Statement['kind'] ? true : false } = {
  import: true,
  function: true,
  union: true,
  var: true,
  if: true,
  while: true,
  for: true,
  foreach: true,
  switch: true,
  match: true,
  return: true,
  exit: true,
  fail: true,
  break: true,
  continue: true,
  delete: true,
  assign: true,
  expression: true,
  literal: false,
  array: false,
  object: false,
  identifier: false,
  property: false,
  index: false,
  call: false,
  method: false,
  binary: false,
  unary: false,
  update: false,
  is: false,
  conditional: false,
  lambda: false,
  'match-expression': false,
}

const isStatement = (node: Node): node is Statement => statementKinds[node.kind]

function statementParts(statement: Statement): readonly Node[] {
  switch (statement.kind) {
    case 'function':
      return [...present(statement.parameters.map(({ standard }) => standard)), ...inside(statement.body)]
    case 'import':
    case 'union':
    case 'break':
    case 'continue':
      return []
    case 'var':
    case 'return':
    case 'exit':
    case 'fail':
      return present([statement.value])
    case 'if':
      return [
        ...statement.branches.flatMap(({ condition, body }) => [condition, ...inside(body)]),
        ...inside(statement.otherwise),
      ]
    case 'while':
      return [statement.condition, ...inside(statement.body)]
    case 'for':
      return [...present([statement.from, statement.to, statement.step]), ...inside(statement.body)]
    case 'foreach':
      return [statement.collection, ...inside(statement.body)]
    case 'switch':
      return [
        statement.subject,
        ...statement.arms.flatMap(({ values, body }) => [...values, ...inside(body)]),
        ...inside(statement.otherwise),
      ]
    case 'match':
      return [statement.subject, ...statement.arms.flatMap(({ body }) => inside(body))]
    case 'delete':
      return [statement.target]
    case 'assign':
      return [statement.target, statement.value]
    case 'expression':
      return [statement.expression]
  }
}

/** Empty for a block that was left out. */
const inside = (block: Block | null): readonly Statement[] => block?.statements ?? []

const present = (expressions: readonly (Expression | null)[]): readonly Expression[] =>
  expressions.filter((expression) => expression !== null)
