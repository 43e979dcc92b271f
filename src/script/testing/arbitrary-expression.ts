/**
 * Random expressions for tests, as tokens: of all kinds and precedences, with all needed and some needless parentheses.
 * arbitrary-script.ts adds the text between the tokens.
 */
import fc from 'fast-check'

/** Tokens, and the level of the loosest operator in them; `SAME_LINE` comes before a token that must not begin a line. */
type Written = { readonly tokens: readonly string[]; readonly level: number }

export const SAME_LINE = '\u0000'
const POSTFIX = 12

const names = [
  'a',
  'b',
  'aRatherLongNameOfABookingReference',
  'Data',
  'total',
  'inf',
  'NaN',
  'elif',
  'größe',
  '_x1',
  'info',
]
export const anyName = fc.constantFrom(...names)
export const anyMember = fc.constantFrom('id', 'end', 'if', 'length', 'e5', 'add', 'nan')
export const anyType = fc.constantFrom('number', 'string', 'boolean', 'object', 'array', 'null')
const anyLiteral = fc.constantFrom(
  ...['0', '007', '5.', '1.50', '1e3', '2.5E-07', '0xFF', '0b101', '+5', 'true', 'false', 'null'],
  ...[
    '"text"',
    "'text'",
    '\'say "hi"\'',
    '"it\'s"',
    '"\\n\\u00e9\\\\"',
    "'\\''",
    '"two\nlines"',
    '"\r\n"',
    '""',
  ],
)

export const comma = (items: readonly (readonly string[])[]): readonly string[] =>
  items.flatMap((item, i) => (i === 0 ? item : [',', ...item]))

const operand = (level: number, { tokens, level: own }: Written): readonly string[] =>
  own < level ? ['(', ...tokens, ')'] : tokens

const operators: readonly (readonly [operator: string, level: number])[] = [
  ...([
    ['??', 2],
    ['or', 3],
    ['and', 4],
    ['==', 7],
    ['!=', 7],
    ['<', 8],
    ['<=', 8],
    ['>', 8],
    ['>=', 8],
  ] as const),
  ...([
    ['+', 9],
    ['-', 9],
    ['*', 10],
    ['/', 10],
    ['%', 10],
  ] as const),
]

const { expression } = fc.letrec<{ expression: Written; small: Written }>((tie) => {
  const inner = tie('expression')
  const items = fc.array(inner, { maxLength: 3 })
  const named = fc.array(fc.tuple(fc.oneof(anyName, anyMember), inner), { maxLength: 3 })
  const args = fc.oneof(
    items.map((values) => ['(', ...comma(values.map(({ tokens }) => tokens)), ')']),
    named.map((pairs) => ['(', ...comma(pairs.map(([name, { tokens }]) => [name, ':', ...tokens])), ')']),
  )
  const postfix = (tokens: readonly string[]): Written => ({ tokens, level: POSTFIX })
  const base = inner.map((written) => operand(POSTFIX, written))
  return {
    small: fc.oneof(anyName, anyLiteral).map((token) => postfix([token])),
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: tie('small') },
      { weight: 1, arbitrary: inner.map(({ tokens }) => postfix(['(', ...tokens, ')'])) },
      {
        weight: 1,
        arbitrary: items.map((values) => postfix(['[', ...comma(values.map(({ tokens }) => tokens)), ']'])),
      },
      {
        weight: 1,
        arbitrary: fc
          .array(fc.tuple(fc.oneof(anyName, anyMember, fc.constantFrom('"a b"', "'c'")), inner), {
            maxLength: 3,
          })
          .map((members) =>
            postfix(['{', ...comma(members.map(([key, { tokens }]) => [key, ':', ...tokens])), '}']),
          ),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(base, anyMember).map(([tokens, name]) => postfix([...tokens, '.', name])),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(base, inner)
          .map(([tokens, index]) => postfix([...tokens, '[', ...index.tokens, ']'])),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom('f', 'Append'), args)
          .map(([name, given]) => postfix([name, ...given])),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(base, anyMember, args)
          .map(([tokens, name, given]) => postfix([...tokens, '.', name, SAME_LINE, ...given])),
      },
      {
        weight: 4,
        arbitrary: fc
          .tuple(inner, fc.constantFrom(...operators), inner)
          .map(([left, [operator, level], right]) => {
            const [ofLeft, ofRight] = operator === '??' ? [level + 1, level] : [level, level + 1]
            return { tokens: [...operand(ofLeft, left), operator, ...operand(ofRight, right)], level }
          }),
      },
      { weight: 1, arbitrary: inner.map((of) => ({ tokens: ['-', ...operand(11, of)], level: 11 })) },
      { weight: 1, arbitrary: inner.map((of) => ({ tokens: ['not', ...operand(5, of)], level: 5 })) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('++', '--'), base, fc.boolean())
          .map(([sign, tokens, prefix]) =>
            prefix ? { tokens: [sign, ...tokens], level: 11 } : postfix([...tokens, sign]),
          ),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(inner, fc.boolean(), anyType).map(([of, negated, type]) => ({
          tokens: [...operand(7, of), 'is', ...(negated ? ['not'] : []), type],
          level: 6,
        })),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(inner, inner, inner).map(([condition, whenTrue, whenFalse]) => ({
          tokens: [...operand(2, condition), '?', ...whenTrue.tokens, ':', ...whenFalse.tokens],
          level: 1,
        })),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.array(anyName, { maxLength: 3 }), inner, fc.nat(4))
          .map(([parameters, body, loose]) => ({
            tokens: [
              ...(parameters.length === 1
                ? parameters
                : ['(', ...comma(parameters.map((name) => [name])), ')']),
              ...['=>', ...body.tokens],
            ],
            // Sometimes it becomes an operand without parentheses, and is as long as it can be.
            level: loose === 0 ? POSTFIX : 1,
          })),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            inner,
            fc.array(fc.tuple(anyMember, fc.array(anyName, { maxLength: 2 }), inner), {
              minLength: 1,
              maxLength: 2,
            }),
          )
          .map(([subject, arms]) =>
            postfix([
              ...['match', ...subject.tokens, 'do'],
              ...arms.flatMap(([variant, bindings, value]) => [
                ...['case', variant, ...bound(bindings), 'then'],
                ...value.tokens,
              ]),
              'end',
            ]),
          ),
      },
    ),
  }
})

export const bound = (bindings: readonly string[]): readonly string[] =>
  bindings.length === 0 ? [] : ['(', ...comma(bindings.map((name) => [name])), ')']

export const anyExpression: fc.Arbitrary<readonly string[]> = expression.map(({ tokens }) => tokens)
