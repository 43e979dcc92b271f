/**
 * The tree of a script. It does not record parentheses. Every node has the span of its text, so that problems have a place and
 * the formatter can put comments back. Parts of nodes that problems point at have their own spans.
 */
import type { Span } from '../../kernel/span.ts'

/**
 * Two dialects of one language. `strict` is the language as other implementations have it; `service`, the default, adds the
 * forms that scripts of endpoints use: `elif`, method-style calls, `.add`, `.length`, `return` at top level, null equal to null,
 * numbers compared with numeric texts, members of the host's objects in any letter case.
 */
export const dialects = ['service', 'strict'] as const

export type Dialect = (typeof dialects)[number]

/** The types that hints and type tests name. A lambda has none of these types. */
export const typeNames = ['number', 'string', 'boolean', 'object', 'array', 'null'] as const
export type TypeName = (typeof typeNames)[number]

export type Name = { readonly text: string; readonly span: Span }

export type Script = { readonly body: Block; readonly span: Span }

/** Statements in text order. The span of an empty block is empty and lies where its first statement would begin. */
export type Block = { readonly statements: readonly Statement[]; readonly span: Span }

export type Statement =
  | ImportStatement
  | FunctionDeclaration
  | UnionDeclaration
  | VariableDeclaration
  | IfStatement
  | WhileStatement
  | ForStatement
  | ForEachStatement
  | SwitchStatement
  | MatchStatement
  | LeavingStatement
  | LoopJump
  | DeleteStatement
  | Assignment
  | ExpressionStatement

/** `import "fees"`, `import "fees@3"`, in the service dialect only. The name has the span of the whole text. */
export type ImportStatement = {
  readonly kind: 'import'
  readonly name: Name
  /** Null for the newest. */
  readonly version: number | null
  readonly span: Span
}

export type FunctionDeclaration = {
  readonly kind: 'function'
  readonly name: Name
  readonly parameters: readonly Parameter[]
  readonly body: Block
  readonly span: Span
}

export type Parameter = {
  readonly name: Name
  readonly hint: TypeName | null
  readonly standard: Expression | null
  readonly span: Span
}

export type UnionDeclaration = {
  readonly kind: 'union'
  readonly name: Name
  readonly variants: readonly Variant[]
  readonly span: Span
}

export type Variant = { readonly name: Name; readonly fields: readonly Field[]; readonly span: Span }

/** The hint is never enforced. */
export type Field = { readonly name: Name; readonly hint: TypeName | null; readonly span: Span }

export type VariableDeclaration = {
  readonly kind: 'var'
  readonly name: Name
  readonly hint: TypeName | null
  readonly value: Expression | null
  readonly span: Span
}

export type IfStatement = {
  readonly kind: 'if'
  /** `if`, and each `elseif` or `elif`, in order. */
  readonly branches: readonly { readonly condition: Expression; readonly body: Block; readonly span: Span }[]
  readonly otherwise: Block | null
  readonly span: Span
}

export type WhileStatement = {
  readonly kind: 'while'
  readonly condition: Expression
  readonly body: Block
  readonly span: Span
}

export type ForStatement = {
  readonly kind: 'for'
  readonly variable: Name
  readonly from: Expression
  readonly to: Expression
  readonly direction: 'to' | 'downto'
  readonly step: Expression | null
  readonly body: Block
  readonly span: Span
}

export type ForEachStatement = {
  readonly kind: 'foreach'
  readonly variable: Name
  readonly collection: Expression
  readonly body: Block
  readonly span: Span
}

export type SwitchStatement = {
  readonly kind: 'switch'
  readonly subject: Expression
  readonly arms: readonly {
    readonly values: readonly Expression[]
    readonly body: Block
    readonly span: Span
  }[]
  readonly otherwise: Block | null
  readonly span: Span
}

export type MatchStatement = {
  readonly kind: 'match'
  readonly subject: Expression
  readonly arms: readonly (MatchArm & { readonly body: Block })[]
  readonly span: Span
}

export type MatchArm = { readonly variant: Name; readonly bindings: readonly Name[]; readonly span: Span }

export type LeavingStatement = {
  readonly kind: 'return' | 'exit' | 'fail'
  readonly value: Expression | null
  readonly span: Span
}

export type LoopJump = { readonly kind: 'break' | 'continue'; readonly span: Span }

/** The checker finds out whether the target can be deleted. */
export type DeleteStatement = { readonly kind: 'delete'; readonly target: Expression; readonly span: Span }

export type AssignmentOperator = '=' | '+=' | '-=' | '*=' | '/=' | '%='

export type Assignment = {
  readonly kind: 'assign'
  readonly target: Target
  readonly operator: AssignmentOperator
  readonly value: Expression
  readonly span: Span
}

/** The parser refuses any other target of an assignment (JM3200). */
export type Target = Identifier | PropertyAccess | IndexAccess

type ExpressionStatement = {
  readonly kind: 'expression'
  readonly expression: Expression
  readonly span: Span
}

export type Expression =
  | Literal
  | ArrayLiteral
  | ObjectLiteral
  | Identifier
  | PropertyAccess
  | IndexAccess
  | Call
  | MethodCall
  | BinaryOperation
  | UnaryOperation
  | Update
  | TypeTest
  | Conditional
  | LambdaExpression
  | MatchExpression

type Literal = {
  readonly kind: 'literal'
  readonly value: null | boolean | number | string
  readonly span: Span
}

type ArrayLiteral = {
  readonly kind: 'array'
  readonly elements: readonly Expression[]
  readonly span: Span
}

/** Repeated keys are kept, because all values are evaluated. */
export type ObjectLiteral = {
  readonly kind: 'object'
  readonly members: readonly { readonly key: Name; readonly value: Expression; readonly span: Span }[]
  readonly span: Span
}

export type Identifier = { readonly kind: 'identifier'; readonly name: string; readonly span: Span }

export type PropertyAccess = {
  readonly kind: 'property'
  readonly object: Expression
  readonly name: Name
  readonly span: Span
}

export type IndexAccess = {
  readonly kind: 'index'
  readonly object: Expression
  readonly index: Expression
  readonly span: Span
}

/** Only a plain identifier can be called. */
export type Call = {
  readonly kind: 'call'
  readonly callee: Name
  readonly arguments: Arguments
  readonly span: Span
}

/** `receiver.name(arguments)`, in the service dialect only. */
export type MethodCall = {
  readonly kind: 'method'
  readonly receiver: Expression
  readonly name: Name
  readonly arguments: Arguments
  readonly span: Span
}

/** All named or all positional; without arguments they are positional. `open` is the offset of the parenthesis. */
export type Arguments =
  | { readonly kind: 'positional'; readonly values: readonly Expression[]; readonly open: number }
  | { readonly kind: 'named'; readonly values: readonly NamedArgument[]; readonly open: number }

export type NamedArgument = { readonly name: Name; readonly value: Expression }

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'and'
  | 'or'
  | '??'

export type BinaryOperation = {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
  readonly span: Span
}

export type UnaryOperation = {
  readonly kind: 'unary'
  readonly operator: '-' | 'not'
  readonly operand: Expression
  readonly span: Span
}

/** The compiler finds out whether the target can be updated (JM5001). */
export type Update = {
  readonly kind: 'update'
  readonly operator: '++' | '--'
  readonly prefix: boolean
  readonly target: Expression
  readonly span: Span
}

type TypeTest = {
  readonly kind: 'is'
  readonly operand: Expression
  readonly negated: boolean
  readonly type: TypeName
  readonly span: Span
}

export type Conditional = {
  readonly kind: 'conditional'
  readonly condition: Expression
  readonly whenTrue: Expression
  readonly whenFalse: Expression
  readonly span: Span
}

export type LambdaExpression = {
  readonly kind: 'lambda'
  readonly parameters: readonly Name[]
  readonly body: Expression
  readonly span: Span
}

export type MatchExpression = {
  readonly kind: 'match-expression'
  readonly subject: Expression
  readonly arms: readonly (MatchArm & { readonly value: Expression })[]
  readonly span: Span
}
