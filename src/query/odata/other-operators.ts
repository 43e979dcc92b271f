/** Operators of SQL and of other services after a field, and what to write here. A guess by letters would find one of another meaning. */
import { closestNames } from '../../kernel/closest.ts'
import { operatorNames } from './keywords.ts'
import { adviceForLabelInFilter } from './other-forms.ts'

type Advice = (field: string) => string

const others: readonly (readonly [pattern: RegExp, advice: Advice])[] = [
  [/^is\s+not\s+null\b/i, () => 'write ne null'],
  [/^is\s+null\b/i, () => 'write eq null'],
  [/^(?:is\s+not|not\s+(?:eq|equals?)|neq|isnot|noteq|notequals?|unequal)\b/i, () => 'write ne'],
  [/^(?:is|equals?)\b/i, () => 'write eq'],
  [/^(?:not\s+in|not_?in)\b/i, () => 'write nin'],
  [/^gte\b/i, () => 'write ge'],
  [/^lte\b/i, () => 'write le'],
  [/^not\s+(?:i?like|contains)\b/i, (field) => `write not contains(${field}, 'text')`],
  [/^(?:i?like|includes|matches)\b/i, (field) => `write contains(${field}, 'text')`],
  [/^not\s+between\b/i, (field) => `write not (${field} ge ... and ${field} le ...)`],
  [/^between\b/i, (field) => `write ${field} ge ... and ${field} le ...`],
  [/^not\b/i, () => 'write not in front of the field'],
]

/**
 * Undefined when nothing is similar, or several operators are. `written` begins with the operator, `condition` with the field.
 */
export function adviceForOperator(written: string, field: string, condition: string): string | undefined {
  const start = written.slice(0, LONGEST_START)
  const other = others.find(([pattern]) => pattern.test(start))
  if (other !== undefined) return other[1](field)
  const label = adviceForLabelInFilter(condition)
  if (label !== undefined) return label
  const word = /^\w+/.exec(start)?.[0] ?? ''
  const [nearest, second] = closestNames(word, operatorNames, 2)
  return nearest === undefined || second !== undefined ? undefined : `did you mean ${nearest}?`
}

const LONGEST_START = 40
