/** Gives advice for an unexpected token, judged by its neighbours: the common slips. */
import type { Dialect } from './ast.ts'
import { ELIF, type Token } from './tokens.ts'

/** `index` is the place of the unexpected token. Undefined when there is no advice. */
export function adviceFor(tokens: readonly Token[], index: number, dialect: Dialect): string | undefined {
  const token = tokens[index]
  if (token === undefined) return undefined
  const before = tokens[index - 1]
  const after = tokens[index + 1]
  const joined =
    adviceForJoined.get(joinedText(before, token)) ?? adviceForJoined.get(joinedText(token, after))
  if (joined !== undefined) return joined
  if (token.text === '.' && after?.kind === 'number' && after.span.start === token.span.end) {
    return `a number begins with a digit: write 0.${after.text}`
  }
  if (declaredElsewhere.has(tokens[index - 2]?.text ?? '') && before?.kind === 'identifier') {
    return `write 'var ${before.text}' to declare a variable`
  }
  if (before?.text === ',' && closers.has(token.text)) return 'leave out the comma after the last item'
  if (token.text === 'then') return adviceForThen(tokens, index, dialect)
  return adviceForToken.get(token.text)
}

/** The keyword of a further branch of `if`. */
export const branchKeyword = (dialect: Dialect): string => (dialect === 'service' ? ELIF : 'elseif')

/** Whether a name was probably meant as the keyword of a branch. */
export const isLikeBranchKeyword = (name: string): boolean => /^els?e?_?if$/i.test(name)

/** A `then` that belongs to nothing may follow a branch with another keyword, such as `elsif a then`. */
function adviceForThen(tokens: readonly Token[], index: number, dialect: Dialect): string | undefined {
  for (let at = index - 1; at >= Math.max(0, index - LONGEST_CONDITION); at--) {
    const token = tokens[at] as Token
    if (token.kind === 'keyword' && endsOfCondition.has(token.text)) return undefined
    if (token.kind !== 'identifier' || !isLikeBranchKeyword(token.text)) continue
    const keyword = branchKeyword(dialect)
    return token.text === keyword
      ? `'${keyword}' begins a branch only directly in an 'if', before its 'else'`
      : `write '${keyword}' for a further branch, not '${token.text}'`
  }
  return undefined
}

/** In tokens; a slip is not searched for further back. */
const LONGEST_CONDITION = 100

const endsOfCondition: ReadonlySet<string> = new Set(['then', 'do', 'end'])

const closers: ReadonlySet<string> = new Set([')', ']', '}'])

/** The text of two tokens that touch. */
const joinedText = (left: Token | undefined, right: Token | undefined): string =>
  left?.kind === 'symbol' && right?.kind === 'symbol' && left.span.end === right.span.start
    ? left.text + right.text
    : ''

/** Symbols of other languages, which are read here as two tokens. */
const adviceForJoined: ReadonlyMap<string, string> = new Map([
  ['===', "write '=='"],
  ['!==', "write '!='"],
  ['**', "write 'Power(a, b)'"],
  ['//', "a comment begins with '#'"],
  ['/*', "a comment begins with '#'"],
  ['??=', 'write the assignment out: x = x ?? y'],
  ['<>', "write '!='"],
  ['?.', "write '.': reading a property of null gives null"],
  ['->', "write '=>'"],
])

const declaredElsewhere: ReadonlySet<string> = new Set(['let', 'const'])

const adviceForToken: ReadonlyMap<string, string> = new Map([
  ['=', "'=' assigns and is not part of an expression; '==' compares"],
  ['not', "put parentheses around it, as in (not x): 'not' binds less tightly than the operator before it"],
  ['+', 'there is no unary plus, except directly before a decimal number'],
  ['{', "blocks have no braces: they begin with 'then' or 'do' and end with 'end'"],
])
