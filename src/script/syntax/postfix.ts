/**
 * Reads what follows an operand directly (language reference, 3.1, 3.3 and 11.1):
 *
 *     postfix  = primary {"(" arguments ")" | "." NAME | "[" expr "]" | "++" | "--"}
 *     arguments = [NAME ":" expr {"," NAME ":" expr} | expr {"," expr}]
 *
 * Only a plain identifier can be called; in the service dialect also a property, if the parenthesis is on the line of its
 * name. All other calls are refused, even with the parenthesis on the next line, where other languages begin a statement.
 */
import type { Arguments, Expression, NamedArgument } from './ast.ts'
import { shortened } from './literals.ts'
import { type ExpressionParser, parsePrimary } from './primaries.ts'
import {
  advance,
  atSymbol,
  expectName,
  expectSymbol,
  fault,
  grow,
  isWord,
  peek,
  spanFrom,
  type TokenReader,
  takeSymbol,
  unexpected,
} from './token-reader.ts'

export function parsePostfix(reader: TokenReader, parseExpression: ExpressionParser): Expression {
  const { start } = reader.token.span
  let base = parsePrimary(reader, parseExpression)
  for (;;) {
    const { token } = reader
    if (token.kind !== 'symbol') return base
    switch (token.text) {
      case '(':
        base = parseCall(reader, base, start, parseExpression)
        break
      case '.':
        base = parseProperty(reader, base, start, parseExpression)
        break
      case '[': {
        advance(reader)
        const index = parseExpression(reader)
        expectSymbol(reader, ']', "']' after the index")
        base = { kind: 'index', object: base, index, span: spanFrom(reader, start) }
        break
      }
      case '++':
      case '--':
        advance(reader)
        base = {
          kind: 'update',
          operator: token.text,
          prefix: false,
          target: base,
          span: spanFrom(reader, start),
        }
        break
      default:
        return base
    }
    grow(reader)
  }
}

/** Accepts `f(x)`, `(f)(x)`; refuses `f()(x)`, `"s"(x)`, `list[0](x)`. */
function parseCall(
  reader: TokenReader,
  callee: Expression,
  start: number,
  parseExpression: ExpressionParser,
): Expression {
  if (callee.kind !== 'identifier') throw notCallable(reader, callee)
  const given = parseArguments(reader, parseExpression)
  const name = { text: callee.name, span: callee.span }
  return { kind: 'call', callee: name, arguments: given, span: spanFrom(reader, start) }
}

function parseProperty(
  reader: TokenReader,
  object: Expression,
  start: number,
  parseExpression: ExpressionParser,
): Expression {
  advance(reader)
  const name = expectName(reader, "a name after '.'")
  if (reader.dialect === 'service' && atSymbol(reader, '(') && !reader.token.firstOnLine) {
    const given = parseArguments(reader, parseExpression)
    return { kind: 'method', receiver: object, name, arguments: given, span: spanFrom(reader, start) }
  }
  return { kind: 'property', object, name, span: spanFrom(reader, start) }
}

function notCallable(reader: TokenReader, callee: Expression) {
  const { span, firstOnLine } = reader.token
  if (callee.kind === 'property') {
    const name = shortened(callee.name.text)
    return reader.dialect === 'strict'
      ? fault(
          `Only a name can be called: calls such as '.${name}(…)' belong to the service dialect`,
          span.start,
        )
      : fault(`The '(' of a call such as '.${name}(…)' must be on the line of the name`, span.start)
  }
  const goesOn = firstOnLine ? "; a line that begins with '(' continues the line before" : ''
  return fault(`Only a name can be called, as in Name(…)${goesOn}`, span.start)
}

/** Accepts `()`, `(1, 2)`, `(a: 1, end: 2)`; refuses `(1,)`, `(a: 1, 2)`. The next token is the parenthesis. */
function parseArguments(reader: TokenReader, parseExpression: ExpressionParser): Arguments {
  const open = advance(reader).span.start
  if (takeSymbol(reader, ')')) return { kind: 'positional', values: [], open }
  const named = beginsNamed(reader)
  const values: Expression[] = []
  const pairs: NamedArgument[] = []
  do {
    if (beginsNamed(reader) !== named) throw mixedArguments(reader)
    if (named) pairs.push(parseNamed(reader, parseExpression))
    else values.push(parseExpression(reader))
  } while (takeSymbol(reader, ','))
  expectSymbol(reader, ')', "',' or ')' after an argument")
  return named ? { kind: 'named', values: pairs, open } : { kind: 'positional', values, open }
}

function parseNamed(reader: TokenReader, parseExpression: ExpressionParser): NamedArgument {
  const name = expectName(reader, 'the name of an argument')
  advance(reader)
  return { name, value: parseExpression(reader) }
}

function beginsNamed(reader: TokenReader): boolean {
  if (!isWord(reader.token)) return false
  const after = peek(reader)
  return after.kind === 'symbol' && after.text === ':'
}

function mixedArguments(reader: TokenReader) {
  const { token } = reader
  if (token.kind === 'invalid' || token.kind === 'end') return unexpected(reader, 'an argument')
  return fault('Arguments are either all named or all without names', token.span.start)
}
