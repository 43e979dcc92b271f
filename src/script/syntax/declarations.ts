/**
 * Declarations (language reference, 3.1):
 *
 *     funcDef  = "func" IDENT "(" [param {"," param}] ")" block "end"
 *     param    = IDENT [":" type] ["=" expr]
 *     unionDef = "union" IDENT variant {variant} "end"
 *     variant  = IDENT ["(" [field {"," field}] ")"]
 *     field    = IDENT [":" type]
 *     varDecl  = "var" IDENT [":" type] ["=" expr]
 *     type     = "number" | "string" | "boolean" | "object" | "array" | "null"
 */
import type {
  Expression,
  Field,
  FunctionDeclaration,
  Parameter,
  TypeName,
  UnionDeclaration,
  VariableDeclaration,
  Variant,
} from './ast.ts'
import { expectEnd, parseBlock, type StatementParser } from './blocks.ts'
import { parseExpression } from './expressions.ts'
import {
  advance,
  advanceEquals,
  atSymbol,
  expectIdentifier,
  expectSymbol,
  expectType,
  spanFrom,
  type TokenReader,
  takeSymbol,
} from './token-reader.ts'

export function parseFunction(reader: TokenReader, parseStatement: StatementParser): FunctionDeclaration {
  const open = advance(reader)
  const name = expectIdentifier(reader, "the name of a function after 'func'")
  expectSymbol(reader, '(', "'(' after the name of a function")
  const parameters = parseUpToParenthesis(reader, parseParameter, 'a parameter')
  const body = parseBlock(reader, parseStatement)
  expectEnd(reader, open)
  return { kind: 'function', name, parameters, body, span: spanFrom(reader, open.span.start) }
}

/** The opening parenthesis is consumed. */
function parseUpToParenthesis<T>(
  reader: TokenReader,
  parseItem: (reader: TokenReader) => T,
  item: string,
): readonly T[] {
  if (takeSymbol(reader, ')')) return []
  const items: T[] = []
  do {
    items.push(parseItem(reader))
  } while (takeSymbol(reader, ','))
  expectSymbol(reader, ')', `',' or ')' after ${item}`)
  return items
}

function parseParameter(reader: TokenReader): Parameter {
  const name = expectIdentifier(reader, 'the name of a parameter')
  const hint = parseHint(reader)
  const standard = parseInitialiser(reader)
  return { name, hint, standard, span: spanFrom(reader, name.span.start) }
}

function parseHint(reader: TokenReader): TypeName | null {
  return takeSymbol(reader, ':') ? expectType(reader, "after ':'") : null
}

function parseInitialiser(reader: TokenReader): Expression | null {
  if (!atSymbol(reader, '=')) return null
  advanceEquals(reader)
  return parseExpression(reader)
}

/** At least one variant. */
export function parseUnion(reader: TokenReader): UnionDeclaration {
  const open = advance(reader)
  const name = expectIdentifier(reader, "the name of a union after 'union'")
  const variants = [parseVariant(reader)]
  while (reader.token.kind === 'identifier') variants.push(parseVariant(reader))
  expectEnd(reader, open, "the name of a variant or 'end'")
  return { kind: 'union', name, variants, span: spanFrom(reader, open.span.start) }
}

function parseVariant(reader: TokenReader): Variant {
  const name = expectIdentifier(reader, 'the name of a variant')
  const fields = takeSymbol(reader, '(') ? parseUpToParenthesis(reader, parseField, 'a field') : []
  return { name, fields, span: spanFrom(reader, name.span.start) }
}

function parseField(reader: TokenReader): Field {
  const name = expectIdentifier(reader, 'the name of a field')
  const hint = parseHint(reader)
  return { name, hint, span: spanFrom(reader, name.span.start) }
}

export function parseVariable(reader: TokenReader): VariableDeclaration {
  const { start } = advance(reader).span
  const name = expectIdentifier(reader, "the name of a variable after 'var'")
  const hint = parseHint(reader)
  const value = parseInitialiser(reader)
  return { kind: 'var', name, hint, value, span: spanFrom(reader, start) }
}
