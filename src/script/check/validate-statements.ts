/** Checks the places of statements, and declares their variables in the right scopes (language reference, 6.1). */
import type {
  Block,
  DeleteStatement,
  Expression,
  ForEachStatement,
  ImportStatement,
  LeavingStatement,
  LoopJump,
  Name,
  Statement,
  VariableDeclaration,
} from '../syntax/ast.ts'
import { kindOf } from '../values/kinds.ts'
import { quoted } from './problem-list.ts'
import { checkFunction, checkUnion } from './validate-declarations.ts'
import { expressionSteps } from './validate-expressions.ts'
import { checkArms } from './validate-matches.ts'
import { declare, type Steps, type Surroundings, type Validation, withNames } from './validation.ts'

export function statementSteps({ statements }: Block, around: Surroundings, validation: Validation): Steps {
  return statements.map((statement) => () => checkStatement(statement, around, validation))
}

function checkStatement(statement: Statement, around: Surroundings, validation: Validation): Steps {
  const read = (expressions: readonly (Expression | null)[]): Steps => {
    const present = expressions.filter((expression) => expression !== null)
    return expressionSteps(present, around, validation)
  }
  /** Every block has its own scope, which also holds the names that its loop or arm declares. */
  const block = (
    body: Block,
    names: readonly Name[] = [],
    { inLoop }: Pick<Surroundings, 'inLoop'> = around,
  ) => {
    const inside = { inBlock: true, inLoop }
    return () => statementSteps(body, { ...withNames(names, around, validation), ...inside }, validation)
  }
  const loop = (body: Block, names: readonly Name[] = []) => block(body, names, { inLoop: true })
  const last = (body: Block | null) => (body === null ? [] : [block(body)])

  switch (statement.kind) {
    case 'import':
      checkImport(statement, around, validation)
      return []
    case 'function':
      return statementSteps(statement.body, checkFunction(statement, around, validation), validation)
    case 'union':
      checkUnion(statement, around, validation)
      return []
    case 'var':
      // The variable is declared last: its initialiser may still refer to an outer variable of the same name.
      return [...read([statement.value]), () => checkVariable(statement, around, validation)]
    case 'if':
      return [
        ...statement.branches.flatMap(({ condition, body }) => [...read([condition]), block(body)]),
        ...last(statement.otherwise),
      ]
    case 'while':
      return [...read([statement.condition]), loop(statement.body)]
    case 'for': {
      const { from, to, step, variable, body } = statement
      return [...read([from, to, step]), loop(body, [variable])]
    }
    case 'foreach':
      checkCollection(statement, validation)
      return [...read([statement.collection]), loop(statement.body, [statement.variable])]
    case 'switch':
      return [
        ...read([statement.subject]),
        ...statement.arms.flatMap(({ values, body }) => [...read(values), block(body)]),
        ...last(statement.otherwise),
      ]
    case 'match':
      checkArms(statement, validation)
      return [
        ...read([statement.subject]),
        ...statement.arms.map(({ bindings, body }) => block(body, bindings)),
      ]
    case 'return':
    case 'exit':
    case 'fail':
      checkLeaving(statement, around, validation)
      return read([statement.value])
    case 'break':
    case 'continue':
      checkJump(statement, around, validation)
      return []
    case 'delete':
      checkDeleted(statement, validation)
      return read([statement.target])
    case 'assign':
      return read([statement.target, statement.value])
    case 'expression':
      return read([statement.expression])
  }
}

function checkImport(
  { name, span }: ImportStatement,
  { declaration, inBlock }: Surroundings,
  { problems }: Validation,
): void {
  if (declaration === null && !inBlock) return
  problems.add(
    'JM3910',
    span.start,
    `Module ${quoted(name.text)} is not imported at the top level of the script`,
  )
}

function checkVariable(
  { name, hint, value }: VariableDeclaration,
  around: Surroundings,
  validation: Validation,
): Steps {
  if (hint !== null && value === null) {
    const message = `Variable ${quoted(name.text)} is of type ${hint}, so it needs an initial value`
    validation.problems.add('JM3300', name.span.start, message)
  }
  declare(name, around, validation)
  return []
}

/** Only literals can be refused here; other collections are checked when the script runs (JM5402). */
function checkCollection({ collection }: ForEachStatement, { problems }: Validation): void {
  if (collection.kind !== 'literal' || typeof collection.value === 'string') return
  const message = `foreach goes over arrays, objects and texts, not over a value of type ${kindOf(collection.value)}`
  problems.add('JM3402', collection.span.start, message)
}

function checkLeaving(
  { kind, span }: LeavingStatement,
  { declaration }: Surroundings,
  { dialect, problems }: Validation,
): void {
  if (kind !== 'return' || declaration !== null || dialect === 'service') return
  problems.add('JM3505', span.start, `'return' is outside a function; 'exit' ends a script`)
}

function checkJump({ kind, span }: LoopJump, { inLoop }: Surroundings, { problems }: Validation): void {
  if (!inLoop) problems.add('JM3400', span.start, `'${kind}' is outside a loop`)
}

function checkDeleted({ target, span }: DeleteStatement, { problems }: Validation): void {
  if (target.kind === 'property' || target.kind === 'index') return
  problems.add('JM3201', span.start, `'delete' removes a property, such as 'item.name' or 'item[key]'`)
}
