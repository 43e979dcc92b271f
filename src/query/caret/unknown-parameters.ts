/**
 * Unknown parameters of version 1 (specification 4.2), which are ignored: their names, and what to write instead.
 */
import { closest } from '../../kernel/closest.ts'
import { bareName, namesBehindSemicolons, slipAdvice } from '../bare-name.ts'

type Pairs = readonly (readonly [name: string, rawValue: string])[]

const known: ReadonlySet<string> = new Set(['query', 'fetch', 'offset'])

/** Unknown names as written, in their order and without repetitions; `;query` for `fetch=1;query=x`. */
export const unknownNames = (pairs: Pairs): readonly string[] => [
  ...new Set(
    pairs.flatMap(([name, rawValue]) => {
      const ignored = known.has(name.toLowerCase()) ? [] : [name]
      // Within `query` a semicolon is followed by the next clause.
      const behind = name.toLowerCase() === 'query' ? [] : namesBehindSemicolons(rawValue)
      return [...ignored, ...behind.filter((hidden) => known.has(bareName(hidden)))]
    }),
  ),
]

const CARET_CLAUSE = /^[^=]*\^(?:eq|ne|gt|lt|ge|le|in|ni|ct)/i

const advices: ReadonlyMap<string, string> = new Map([
  ['filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
  ['orderby', 'leave it out: version 1 has one order'],
  ['page', 'use offset and fetch'],
  ['pagesize', 'use fetch, at most 100'],
  ['top', 'use fetch, at most 100'],
  ['limit', 'use fetch, at most 100'],
  ['skip', 'use offset'],
  ['select', 'leave it out: records always carry all their fields'],
  ['expand', 'leave it out: records always carry all their fields'],
  ['format', 'leave it out: version 1 answers JSON'],
  ['', 'write a name in front of the =, such as query'],
])

/** Completes the sentence "Unknown query parameter ... ignored; ..."; undefined when no known name is similar. */
export function adviceFor(name: string): string | undefined {
  const bare = bareName(name)
  if (known.has(bare)) return `use ${bare}${withSlip(name)}`
  if (CARET_CLAUSE.test(bare)) return 'write query= in front of it'
  const advice = advices.get(bare)
  if (advice !== undefined) return advice
  const nearest = closest(bare, known)
  return nearest === undefined ? undefined : `did you mean ${nearest}?`
}

function withSlip(name: string): string {
  const advice = slipAdvice(name)
  return advice === undefined ? '' : `, and ${advice}`
}
