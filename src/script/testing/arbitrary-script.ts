/**
 * Random scripts for tests, as text: statements of all kinds with random blanks, line ends and comments. About three of four can
 * be parsed in the service dialect; in the others one statement runs into the next.
 */
import fc from 'fast-check'
import {
  anyExpression,
  anyMember,
  anyName,
  anyType,
  bound,
  comma,
  SAME_LINE,
} from './arbitrary-expression.ts'

/** Marks a place where the line must end. */
const LINE_END = '\u0001'

const value = anyExpression
const hint = fc.option(anyType).map((type) => (type === null ? [] : [':', type]))
const initialiser = fc.option(value).map((tokens) => (tokens === null ? [] : ['=', ...tokens]))
const anyField = fc.tuple(anyName, hint).map(([name, type]) => [name, ...type])

const { statement } = fc.letrec<{ statement: readonly string[]; block: readonly string[] }>((tie) => {
  const block = tie('block')
  const branch = fc.tuple(value, block).map(([condition, body]) => [...condition, 'then', ...body])
  const after = (word: string) => (tokens: readonly string[]) => [word, ...tokens]
  const optional = (arbitrary: fc.Arbitrary<readonly string[]>) =>
    fc.option(arbitrary).map((tokens) => tokens ?? [])
  return {
    block: fc.array(tie('statement'), { maxLength: 3 }).map((statements) => statements.flat()),
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      {
        weight: 4,
        arbitrary: fc
          .tuple(
            anyName,
            fc.array(anyMember, { maxLength: 2 }),
            fc.constantFrom('=', '+=', '-=', '*=', '/=', '%='),
            value,
          )
          .map(([name, members, sign, tokens]) => [
            name,
            ...members.flatMap((member) => ['.', member]),
            sign,
            ...tokens,
          ]),
      },
      { weight: 2, arbitrary: value },
      {
        weight: 2,
        arbitrary: fc
          .tuple(anyName, hint, initialiser)
          .map(([name, type, tokens]) => ['var', name, ...type, ...tokens]),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            branch,
            fc.array(fc.tuple(fc.constantFrom('elseif', 'elif'), branch), { maxLength: 2 }),
            optional(block.map(after('else'))),
          )
          .map(([first, others, otherwise]) => [
            ...['if', ...first],
            ...others.flatMap(([word, tokens]) => [word, ...tokens]),
            ...[...otherwise, 'end'],
          ]),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(value, block)
          .map(([condition, body]) => ['while', ...condition, 'do', ...body, 'end']),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            anyName,
            value,
            fc.constantFrom('to', 'downto'),
            value,
            optional(value.map(after('by'))),
            block,
          )
          .map(([name, from, direction, to, step, body]) => [
            ...['for', name, 'in', ...from, direction, ...to, ...step, 'do'],
            ...[...body, 'end'],
          ]),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(anyName, value, block)
          .map(([name, collection, body]) => ['foreach', name, 'in', ...collection, 'do', ...body, 'end']),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            value,
            fc.array(fc.tuple(fc.array(value, { minLength: 1, maxLength: 2 }), block), { maxLength: 2 }),
            optional(block.map((tokens) => ['default', 'then', ...tokens])),
          )
          .map(([subject, arms, otherwise]) => [
            ...['switch', ...subject, 'do'],
            ...arms.flatMap(([values, body]) => ['case', ...comma(values), 'then', ...body]),
            ...[...otherwise, 'end'],
          ]),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            value,
            fc.array(fc.tuple(anyName, fc.array(anyName, { maxLength: 2 }), block), {
              minLength: 1,
              maxLength: 2,
            }),
          )
          .map(([subject, arms]) => [
            ...['match', ...subject, 'do'],
            ...arms.flatMap(([variant, bindings, body]) => [
              'case',
              variant,
              ...bound(bindings),
              'then',
              ...body,
            ]),
            'end',
          ]),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            anyName,
            fc.array(
              fc.tuple(anyField, initialiser).map((parts) => parts.flat()),
              { maxLength: 3 },
            ),
            block,
          )
          .map(([name, parameters, body]) => ['func', name, '(', ...comma(parameters), ')', ...body, 'end']),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            anyName,
            fc.array(fc.tuple(anyName, fc.option(fc.array(anyField, { maxLength: 2 }))), {
              minLength: 1,
              maxLength: 3,
            }),
          )
          .map(([name, variants]) => [
            ...['union', name],
            ...variants.flatMap(([variant, fields]) => [
              variant,
              ...(fields === null ? [] : ['(', ...comma(fields), ')']),
            ]),
            'end',
          ]),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('return', 'exit', 'fail'), fc.option(value))
          .map(([word, tokens]) => (tokens === null ? [word, LINE_END] : [word, SAME_LINE, ...tokens])),
      },
      { weight: 1, arbitrary: value.map((tokens) => ['delete', SAME_LINE, ...tokens]) },
      { weight: 1, arbitrary: fc.constantFrom(['break'], ['continue']) },
    ),
  }
})

export const anyScript: fc.Arbitrary<string> = fc
  .tuple(fc.array(statement, { maxLength: 6 }), fc.integer())
  .map(([statements, seed]) => write(statements.flat(), seed))

/** Random numbers from 0 up to 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const separators = [
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  '\t',
  '\n',
  '\n',
  '\n',
  '\r\n',
  '\n\n\n',
  '\u00a0',
  ' # comment\n',
  '\n  # own  \n',
  '\r#\r',
]
const brackets = /[()[\]{},]/

function write(tokens: readonly string[], seed: number): string {
  const random = randomNumbers(seed)
  const any = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? ''
  let text = random() < 0.2 ? '# head\n' : ''
  let between = ''
  let before = ''
  for (const token of tokens) {
    if (token === SAME_LINE) between = any([' ', '\t', '  '])
    else if (token === LINE_END) between = any(['\n', '# bare\n', ' \r\n'])
    else {
      const mayTouch = brackets.test(before) || brackets.test(token)
      text += (between || (mayTouch && random() < 0.5 ? '' : before && any(separators))) + token
      between = ''
      before = token
    }
  }
  return text + (random() < 0.3 ? ' # end' : between)
}
