/**
 * Writes a tree without its places as text, for tests: `(= (. Data total) (+ a 1))`. Trees with the same outline mean the same.
 */
import type {
  Arguments,
  Block,
  Expression,
  Field,
  MatchArm,
  Name,
  Parameter,
  Script,
  Statement,
  TypeName,
} from '../syntax/ast.ts'

export const outline = (script: Script): string => script.body.statements.map(ofStatement).join(' ')

const list = (...parts: readonly (string | null)[]): string =>
  `(${parts.filter((part) => part !== null && part !== '').join(' ')})`

const block = ({ statements }: Block): string => `{${statements.map(ofStatement).join(' ')}}`

const hinted = ({ text }: Name, hint: TypeName | null): string => (hint === null ? text : `${text}:${hint}`)

const names = (given: readonly Name[]): string => `[${given.map(({ text }) => text).join(' ')}]`

function ofStatement(statement: Statement): string {
  switch (statement.kind) {
    case 'import':
      return list('import', statement.name.text, String(statement.version ?? ''))
    case 'function':
      return list(
        'func',
        statement.name.text,
        `[${statement.parameters.map(ofParameter).join(' ')}]`,
        block(statement.body),
      )
    case 'union':
      return list('union', statement.name.text, ...statement.variants.map(ofVariant))
    case 'var':
      return list('var', hinted(statement.name, statement.hint), optional(statement.value))
    case 'if': {
      const branches = statement.branches.map(
        ({ condition, body }) => `${ofExpression(condition)} ${block(body)}`,
      )
      return list('if', ...branches, statement.otherwise && `else ${block(statement.otherwise)}`)
    }
    case 'while':
      return list('while', ofExpression(statement.condition), block(statement.body))
    case 'for': {
      const bounds = `${ofExpression(statement.from)} ${statement.direction} ${ofExpression(statement.to)}`
      const step = statement.step && `by ${ofExpression(statement.step)}`
      return list('for', statement.variable.text, bounds, step, block(statement.body))
    }
    case 'foreach':
      return list(
        'foreach',
        statement.variable.text,
        ofExpression(statement.collection),
        block(statement.body),
      )
    case 'switch': {
      const arms = statement.arms.map(
        ({ values, body }) => `case ${values.map(ofExpression).join(', ')} ${block(body)}`,
      )
      return list(
        'switch',
        ofExpression(statement.subject),
        ...arms,
        statement.otherwise && `default ${block(statement.otherwise)}`,
      )
    }
    case 'match': {
      const arms = statement.arms.map((arm) => `${ofArm(arm)} ${block(arm.body)}`)
      return list('match', ofExpression(statement.subject), ...arms)
    }
    case 'return':
    case 'exit':
    case 'fail':
      return list(statement.kind, optional(statement.value))
    case 'break':
    case 'continue':
      return list(statement.kind)
    case 'delete':
      return list('delete', ofExpression(statement.target))
    case 'assign':
      return list(statement.operator, ofExpression(statement.target), ofExpression(statement.value))
    case 'expression':
      return ofExpression(statement.expression)
  }
}

const optional = (expression: Expression | null): string | null => expression && ofExpression(expression)

const ofParameter = ({ name, hint, standard }: Parameter): string =>
  standard === null ? hinted(name, hint) : `${hinted(name, hint)}=${ofExpression(standard)}`

const ofVariant = ({ name, fields }: { readonly name: Name; readonly fields: readonly Field[] }): string =>
  `${name.text}[${fields.map((field) => hinted(field.name, field.hint)).join(' ')}]`

const ofArm = ({ variant, bindings }: MatchArm): string => `case ${variant.text}${names(bindings)}`

function ofExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string'
        ? JSON.stringify(expression.value)
        : String(expression.value)
    case 'array':
      return list('array', ...expression.elements.map(ofExpression))
    case 'object':
      return list(
        'object',
        ...expression.members.map(({ key, value }) => `${JSON.stringify(key.text)}:${ofExpression(value)}`),
      )
    case 'identifier':
      return expression.name
    case 'property':
      return list('.', ofExpression(expression.object), expression.name.text)
    case 'index':
      return list('[]', ofExpression(expression.object), ofExpression(expression.index))
    case 'call':
      return list('call', expression.callee.text, ...ofArguments(expression.arguments))
    case 'method':
      return list(
        'method',
        ofExpression(expression.receiver),
        expression.name.text,
        ...ofArguments(expression.arguments),
      )
    case 'binary':
      return list(expression.operator, ofExpression(expression.left), ofExpression(expression.right))
    case 'unary':
      return list(expression.operator, ofExpression(expression.operand))
    case 'update':
      return expression.prefix
        ? list(`${expression.operator}_`, ofExpression(expression.target))
        : list(`_${expression.operator}`, ofExpression(expression.target))
    case 'is':
      return list(expression.negated ? 'is-not' : 'is', ofExpression(expression.operand), expression.type)
    case 'conditional':
      return list(
        '?',
        ofExpression(expression.condition),
        ofExpression(expression.whenTrue),
        ofExpression(expression.whenFalse),
      )
    case 'lambda':
      return list('=>', names(expression.parameters), ofExpression(expression.body))
    case 'match-expression':
      return list(
        'match-expression',
        ofExpression(expression.subject),
        ...expression.arms.map((arm) => `${ofArm(arm)} ${ofExpression(arm.value)}`),
      )
  }
}

const ofArguments = (given: Arguments): readonly string[] =>
  given.kind === 'positional'
    ? given.values.map(ofExpression)
    : given.values.map(({ name, value }) => `${name.text}:${ofExpression(value)}`)
