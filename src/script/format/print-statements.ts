/** Turns statements into documents: one per line, bodies indented by one step. */
import type {
  Block,
  Expression,
  Field,
  ForStatement,
  FunctionDeclaration,
  IfStatement,
  MatchStatement,
  Parameter,
  Statement,
  SwitchStatement,
  TypeName,
  UnionDeclaration,
} from '../syntax/ast.ts'
import { type Doc, hardLine, indent } from './doc.ts'
import { addClosingComments, addCommentsBeforeBranch, addLines, type Lines, openLines } from './lines.ts'
import { printArmHead, printExpression, printLeading } from './print-expressions.ts'
import { inParentheses, printList } from './print-list.ts'
import { passParentheses, type Source, take, takeAny } from './source.ts'

export const addStatements = (lines: Lines, { statements }: Block): void =>
  addLines(lines, statements, (statement) => printStatement(lines.source, statement))

function printStatement(source: Source, statement: Statement): Doc {
  switch (statement.kind) {
    case 'import':
      return [take(source, 'import'), ' ', takeAny(source)]
    case 'function':
      return printFunction(source, statement)
    case 'union':
      return printUnion(source, statement)
    case 'var': {
      const { name, hint, value } = statement
      return [
        take(source, 'var'),
        ' ',
        take(source, name.text),
        printHint(source, hint),
        printInitialiser(source, value),
      ]
    }
    case 'if':
      return printIf(source, statement)
    case 'while': {
      const head = [take(source, 'while'), ' ', indent(printExpression(source, statement.condition))]
      return printLoop(source, head, statement.body)
    }
    case 'for':
      return printLoop(source, printForHead(source, statement), statement.body)
    case 'foreach': {
      const head = [
        take(source, 'foreach'),
        ' ',
        take(source, statement.variable.text),
        ' ',
        take(source, 'in'),
        ' ',
      ]
      return printLoop(source, [head, indent(printExpression(source, statement.collection))], statement.body)
    }
    case 'switch':
      return printSwitch(source, statement)
    case 'match':
      return printMatch(source, statement)
    case 'return':
    case 'exit':
    case 'fail': {
      const keyword = take(source, statement.kind)
      return statement.value === null ? keyword : [keyword, ' ', printExpression(source, statement.value)]
    }
    case 'break':
    case 'continue':
      return take(source, statement.kind)
    case 'delete':
      return [take(source, 'delete'), ' ', printExpression(source, statement.target)]
    case 'assign': {
      const target = printLeading(source, statement.target)
      return [target, ' ', take(source, statement.operator), ' ', printExpression(source, statement.value)]
    }
    case 'expression':
      return printLeading(source, statement.expression)
  }
}

const printHint = (source: Source, hint: TypeName | null): Doc =>
  hint === null ? '' : [take(source, ':'), ' ', take(source, hint)]

const printInitialiser = (source: Source, value: Expression | null): Doc =>
  value === null ? '' : [' ', take(source, '='), ' ', printExpression(source, value)]

function printFunction(source: Source, { name, parameters, body }: FunctionDeclaration): Doc {
  const head = [take(source, 'func'), ' ', take(source, name.text)]
  const list = printList(source, inParentheses, parameters, (parameter) => printParameter(source, parameter))
  return [head, list, printBody(source, body), hardLine, take(source, 'end')]
}

const printParameter = (source: Source, { name, hint, standard }: Parameter): Doc => [
  take(source, name.text),
  printHint(source, hint),
  printInitialiser(source, standard),
]

function printUnion(source: Source, { name, variants }: UnionDeclaration): Doc {
  const head = [take(source, 'union'), ' ', take(source, name.text)]
  const lines = openLines(source)
  addLines(lines, variants, ({ name, fields }) => {
    const variant = take(source, name.text)
    if (fields.length === 0) {
      passParentheses(source)
      return variant
    }
    return [variant, printList(source, inParentheses, fields, (field) => printField(source, field))]
  })
  addClosingComments(lines)
  return [head, indent(lines.docs), hardLine, take(source, 'end')]
}

const printField = (source: Source, { name, hint }: Field): Doc => [
  take(source, name.text),
  printHint(source, hint),
]

function printIf(source: Source, { branches, otherwise }: IfStatement): Doc {
  const docs: Doc[] = []
  branches.forEach(({ condition, body }, i) => {
    if (i > 0) docs.push(hardLine)
    docs.push(takeAny(source), ' ', indent(printExpression(source, condition)), ' ', take(source, 'then'))
    const isLast = i === branches.length - 1 && otherwise === null
    docs.push(isLast ? printBody(source, body) : printBodyBeforeBranch(source, body))
  })
  if (otherwise !== null) docs.push(hardLine, take(source, 'else'), printBody(source, otherwise))
  return [docs, hardLine, take(source, 'end')]
}

function printForHead(source: Source, { variable, from, direction, to, step }: ForStatement): Doc {
  const keyword = take(source, 'for')
  const docs: Doc[] = [' ', take(source, variable.text), ' ', take(source, 'in'), ' ']
  docs.push(printExpression(source, from), ' ', take(source, direction), ' ', printExpression(source, to))
  if (step !== null) docs.push(' ', take(source, 'by'), ' ', printExpression(source, step))
  return [keyword, indent(docs)]
}

function printLoop(source: Source, head: Doc, body: Block): Doc {
  const opening = [head, ' ', take(source, 'do')]
  return [opening, printBody(source, body), hardLine, take(source, 'end')]
}

function printSwitch(source: Source, { subject, arms, otherwise }: SwitchStatement): Doc {
  const head = [
    take(source, 'switch'),
    ' ',
    indent(printExpression(source, subject)),
    ' ',
    take(source, 'do'),
  ]
  const heads = arms.map(({ values, body }) => ({ body, print: () => printCaseHead(source, values) }))
  const printDefault = () => [take(source, 'default'), ' ', take(source, 'then')]
  const all = otherwise === null ? heads : [...heads, { body: otherwise, print: printDefault }]
  return [head, printArms(source, all), hardLine, take(source, 'end')]
}

function printCaseHead(source: Source, values: readonly Expression[]): Doc {
  const head = take(source, 'case')
  const docs = values.map((value, i) => [
    i === 0 ? '' : take(source, ','),
    ' ',
    printExpression(source, value),
  ])
  return [head, indent(docs), ' ', take(source, 'then')]
}

function printMatch(source: Source, { subject, arms }: MatchStatement): Doc {
  const head = [take(source, 'match'), ' ', indent(printExpression(source, subject)), ' ', take(source, 'do')]
  const all = arms.map((arm) => ({ body: arm.body, print: () => printArmHead(source, arm) }))
  return [head, printArms(source, all), hardLine, take(source, 'end')]
}

type Arm = { readonly body: Block; readonly print: () => Doc }

function printArms(source: Source, arms: readonly Arm[]): Doc {
  const lines = openLines(source)
  addLines(lines, arms, (arm) => {
    const head = arm.print()
    return [head, arm === arms.at(-1) ? printBody(source, arm.body) : printBodyBeforeBranch(source, arm.body)]
  })
  addClosingComments(lines)
  return indent(lines.docs)
}

function printBody(source: Source, body: Block): Doc {
  const lines = openLines(source)
  addStatements(lines, body)
  addClosingComments(lines)
  return indent(lines.docs)
}

function printBodyBeforeBranch(source: Source, body: Block): Doc {
  const lines = openLines(source)
  addStatements(lines, body)
  const ofBranch = addCommentsBeforeBranch(lines)
  return [indent(lines.docs), ofBranch]
}
