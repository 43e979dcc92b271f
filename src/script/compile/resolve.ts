/**
 * Finds the variable of each name in a checked script, the variables that lambdas capture, the hint of each assignment, and
 * the operands whose evaluation may change a variable. Reports the problems that only a compiler finds (JM5001).
 */
import type { ScriptProblem } from '../script-problem.ts'
import type {
  Block,
  Expression,
  FunctionDeclaration,
  Identifier,
  LambdaExpression,
  MatchArm,
  Name,
  Script,
  Statement,
  TypeName,
} from '../syntax/ast.ts'

export type Variable = {
  readonly name: string
  /** The function or lambda it belongs to; null for the script itself. */
  readonly owner: Owner
  readonly hint: TypeName | null
  /** Whether a lambda reads or changes it: then it lives in a cell. */
  captured: boolean
}

export type Owner = FunctionDeclaration | LambdaExpression | null

export type Resolution = {
  /** Keyed by the name node of the declaration. */
  readonly declared: ReadonlyMap<Name, Variable>
  /** Keyed by identifier; `Data` has none. `unset` has the identifiers that read their variable in its own initialiser. */
  readonly used: ReadonlyMap<Identifier, Variable>
  readonly unset: ReadonlySet<Identifier>
  /** The type that an assignment or update of this identifier converts to. */
  readonly hints: ReadonlyMap<Identifier, TypeName>
  /** Expressions that may change a variable or have another effect, so that evaluating them twice makes a difference. */
  readonly effects: ReadonlySet<Expression>
  readonly problems: readonly ScriptProblem[]
}

/** @param script has passed the earlier stages */
export function resolve(script: Script): Resolution {
  const resolver = new Resolver()
  resolver.script(script)
  return resolver
}

const ROOT = 'Data'

type Scope = {
  readonly parent: Scope | null
  readonly owner: Owner
  readonly variables: Map<string, Variable>
}

class Resolver implements Resolution {
  readonly declared = new Map<Name, Variable>()
  readonly used = new Map<Identifier, Variable>()
  readonly unset = new Set<Identifier>()
  readonly hints = new Map<Identifier, TypeName>()
  readonly effects = new Set<Expression>()
  readonly problems: ScriptProblem[] = []
  #scope: Scope = { parent: null, owner: null, variables: new Map() }
  /** The variable whose initialiser is being read, outside lambdas. */
  #beginning: Variable | null = null

  script({ body }: Script): void {
    this.#statements(body)
  }

  #statements({ statements }: Block): void {
    for (const statement of statements) this.#statement(statement)
  }

  #block(body: Block): void {
    this.#within(this.#scope.owner, () => this.#statements(body))
  }

  #within(owner: Owner, read: () => void, parent: Scope | null = this.#scope): void {
    const outer = this.#scope
    this.#scope = { parent, owner, variables: new Map() }
    read()
    this.#scope = outer
  }

  #declare(name: Name, hint: TypeName | null): Variable {
    const variable: Variable = { name: name.text, owner: this.#scope.owner, hint, captured: false }
    this.declared.set(name, variable)
    if (name.text !== ROOT) this.#scope.variables.set(name.text, variable)
    return variable
  }

  #statement(statement: Statement): void {
    switch (statement.kind) {
      case 'function':
        this.#within(
          statement,
          () => {
            for (const { name, hint } of statement.parameters) this.#declare(name, hint)
            this.#statements(statement.body)
          },
          null,
        )
        return
      case 'import':
      case 'union':
      case 'break':
      case 'continue':
        return
      case 'var':
        this.#variable(statement.name, statement.hint, statement.value)
        return
      case 'if':
        for (const { condition, body } of statement.branches) {
          this.#expression(condition)
          this.#block(body)
        }
        if (statement.otherwise !== null) this.#block(statement.otherwise)
        return
      case 'while':
        this.#expression(statement.condition)
        this.#block(statement.body)
        return
      case 'for':
        for (const bound of [statement.from, statement.to, statement.step]) {
          if (bound !== null) this.#expression(bound)
        }
        this.#loop(statement.variable, statement.body)
        return
      case 'foreach':
        this.#expression(statement.collection)
        this.#loop(statement.variable, statement.body)
        return
      case 'switch':
        this.#expression(statement.subject)
        for (const { values, body } of statement.arms) {
          for (const value of values) this.#expression(value)
          this.#block(body)
        }
        if (statement.otherwise !== null) this.#block(statement.otherwise)
        return
      case 'match':
        this.#expression(statement.subject)
        for (const arm of statement.arms) this.#arm(arm, () => this.#statements(arm.body))
        return
      case 'return':
      case 'exit':
      case 'fail':
        if (statement.value !== null) this.#expression(statement.value)
        return
      case 'delete':
        this.#expression(statement.target)
        return
      case 'assign':
        this.#expression(statement.target)
        if (statement.target.kind === 'identifier') this.#assigned(statement.target)
        this.#expression(statement.value)
        return
      case 'expression':
        this.#expression(statement.expression)
        return
    }
  }

  /** The initialiser already sees the new variable, which has no value yet. */
  #variable(name: Name, hint: TypeName | null, value: Expression | null): void {
    const variable = this.#declare(name, hint)
    const outer = this.#beginning
    this.#beginning = variable
    if (value !== null) this.#expression(value)
    this.#beginning = outer
  }

  #loop(variable: Name, body: Block): void {
    this.#within(this.#scope.owner, () => {
      this.#declare(variable, null)
      this.#statements(body)
    })
  }

  #arm({ bindings }: MatchArm, read: () => void): void {
    this.#within(this.#scope.owner, () => {
      for (const binding of bindings) this.#declare(binding, null)
      read()
    })
  }

  /** The nearest variable of that name with a hint decides, also for an inner variable without one. */
  #assigned(target: Identifier): void {
    if (target.name === ROOT) {
      this.problems.push({
        code: 'JM5001',
        message: `'${ROOT}' cannot be assigned to; change what is in it`,
        at: null,
      })
      return
    }
    for (let scope: Scope | null = this.#scope; scope !== null; scope = scope.parent) {
      const hint = scope.variables.get(target.name)?.hint
      if (hint != null) {
        this.hints.set(target, hint)
        return
      }
    }
  }

  /** Returns whether evaluating it may have an effect. */
  #expression(expression: Expression): boolean {
    const effect = this.#parts(expression)
    if (effect) this.effects.add(expression)
    return effect
  }

  #all(expressions: readonly Expression[]): boolean {
    let effect = false
    for (const expression of expressions) effect = this.#expression(expression) || effect
    return effect
  }

  #parts(expression: Expression): boolean {
    switch (expression.kind) {
      case 'literal':
        return false
      case 'identifier':
        this.#identifier(expression)
        return false
      case 'array':
        return this.#all(expression.elements)
      case 'object':
        return this.#all(expression.members.map(({ value }) => value))
      case 'property':
        return this.#expression(expression.object)
      case 'index':
        return this.#all([expression.object, expression.index])
      case 'call':
      case 'method': {
        if (expression.kind === 'method') this.#expression(expression.receiver)
        const { arguments: args } = expression
        this.#all(args.kind === 'named' ? args.values.map(({ value }) => value) : args.values)
        return true
      }
      case 'binary':
        return this.#all([expression.left, expression.right])
      case 'unary':
      case 'is':
        return this.#expression(expression.operand)
      case 'update':
        return this.#update(expression.target)
      case 'conditional':
        return this.#all([expression.condition, expression.whenTrue, expression.whenFalse])
      case 'lambda':
        this.#lambda(expression)
        return false
      case 'match-expression': {
        let effect = this.#expression(expression.subject)
        for (const arm of expression.arms) {
          this.#arm(arm, () => {
            effect = this.#expression(arm.value) || effect
          })
        }
        return effect
      }
    }
  }

  #update(target: Expression): boolean {
    const isTarget = target.kind === 'identifier' || target.kind === 'property' || target.kind === 'index'
    if (!isTarget) {
      const message = "'++' and '--' change a variable, a property or an element; this is not one"
      this.problems.push({ code: 'JM5001', message, at: null })
    }
    this.#expression(target)
    if (target.kind === 'identifier') this.#assigned(target)
    return true
  }

  #lambda(lambda: LambdaExpression): void {
    const beginning = this.#beginning
    this.#beginning = null
    this.#within(lambda, () => {
      for (const parameter of lambda.parameters) this.#declare(parameter, null)
      this.#expression(lambda.body)
    })
    this.#beginning = beginning
  }

  #identifier(identifier: Identifier): void {
    if (identifier.name === ROOT) return
    for (let scope: Scope | null = this.#scope; scope !== null; scope = scope.parent) {
      const variable = scope.variables.get(identifier.name)
      if (variable === undefined) continue
      this.used.set(identifier, variable)
      if (variable === this.#beginning) this.unset.add(identifier)
      if (variable.owner !== this.#scope.owner) variable.captured = true
      return
    }
    throw new Error(`The checker let '${identifier.name}' pass, which is not declared`)
  }
}
