/**
 * A case of the corpus: a script under header lines that say how to run it and what to expect. The header consists of comments
 * of the language, so places are counted in the whole file. Unknown header lines are refused.
 *
 *     #> about Escapes work in both quote styles (2.4)
 *     #> dialect strict                 without it the case runs in both dialects
 *     #> input {"a": 1}                 without it `{}`
 *     #> limits statements=100 loops=10 other limits have their defaults; without this line there are no limits
 *     #> output {"r": "a\tb"}           Data after the run, also after a failed one
 *     #> order                          the order of keys counts
 *     #> problem JM3101 6:5             one line for each; `-` has no place, `?` has any or none
 *     #> message bye                    the message of `exit` or `fail`
 */
import { type LimitName, type Limits, languageLimits } from '../../src/script/problems.ts'
import { type Dialect, dialects } from '../../src/script/script.ts'

export type ScriptCase = {
  readonly about: string
  readonly dialects: readonly Dialect[]
  /** JSON. */
  readonly input: string
  readonly limits: Limits | null
  /** JSON. */
  readonly output: string | null
  readonly ordered: boolean
  readonly problems: readonly ExpectedProblem[]
  readonly message: string | null
}

/** `place` is `line:column`, `-` for none, or `?` for any. */
export type ExpectedProblem = { readonly code: string; readonly place: string }

const names = ['about', 'dialect', 'input', 'limits', 'output', 'order', 'problem', 'message'] as const

export function readCase(text: string): ScriptCase {
  const lines = new Map<string, string[]>(names.map((name) => [name, []]))
  let inHeader = true
  for (const line of text.split('\n')) {
    if (!line.startsWith('#>')) {
      inHeader = false
      continue
    }
    if (!inHeader) throw new Error(`header line below the header: ${line}`)
    const [, name, , rest] = /^#> ([a-z]+)( (.*))?$/.exec(line) ?? []
    const known = lines.get(name ?? '')
    if (known === undefined) throw new Error(`unknown header line: ${line}`)
    if (known.length > 0 && name !== 'problem') throw new Error(`repeated header line: ${line}`)
    known.push(rest ?? '')
  }
  const one = (name: (typeof names)[number]) => lines.get(name)?.[0] ?? null

  const about = one('about')
  if (about === null || about === '') throw new Error('a case says what it is about')
  const output = one('output')
  if (output !== null) JSON.parse(output)
  const problems = (lines.get('problem') ?? []).map(readProblem)
  if (output === null && problems.length === 0) throw new Error('a case expects output or a problem')
  const order = one('order')
  if (order !== null && (order !== '' || output === null)) throw new Error('order needs an output')
  const limits = one('limits')
  return {
    about,
    dialects: readDialects(one('dialect')),
    input: one('input') ?? '{}',
    limits: limits === null ? null : readLimits(limits),
    output,
    ordered: order !== null,
    problems,
    message: one('message'),
  }
}

function readDialects(text: string | null): readonly Dialect[] {
  const found = text === null ? dialects : dialects.filter((dialect) => dialect === text)
  if (found.length === 0) throw new Error(`unknown dialect: ${text}`)
  return found
}

/** Setting one of the limits sets all (language reference, section 9). */
function readLimits(text: string): Limits {
  const limits: { -readonly [L in LimitName]: number } = { ...languageLimits }
  for (const part of text.split(' ')) {
    const [, name, value] = /^([a-zA-Z]+)=([0-9]+)$/.exec(part) ?? []
    if (name === undefined || !Object.hasOwn(languageLimits, name)) throw new Error(`unknown limit: ${part}`)
    limits[name as LimitName] = Number(value)
  }
  return limits
}

function readProblem(text: string): ExpectedProblem {
  const [, code, place] = /^(JM[0-9]{4}) ([0-9]+:[0-9]+|-|\?)$/.exec(text) ?? []
  if (code === undefined || place === undefined) throw new Error(`not a problem: ${text}`)
  return { code, place }
}
