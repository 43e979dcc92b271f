/** Gathers the problems of one script. Callers stop when it is full, so a hostile script cannot make the report grow forever. */
import type { ScriptProblem, ScriptProblemCode } from '../script-problem.ts'

/** More than an author repairs at once. */
const MOST_PROBLEMS = 1000

/** Messages cut longer names and lists: a short call may name very long ones. */
const LONGEST_QUOTE = 80
const MOST_LISTED = 12

export type ProblemList = {
  readonly add: (code: ScriptProblemCode, at: number, message: string) => void
  readonly isFull: () => boolean
  /** Problems at one place stay in the order in which they were found. */
  readonly inTextOrder: () => readonly ScriptProblem[]
}

export function problemList(): ProblemList {
  const problems: (ScriptProblem & { readonly at: number })[] = []
  const isFull = () => problems.length >= MOST_PROBLEMS
  return {
    add: (code, at, message) => {
      if (!isFull()) problems.push({ code, message, at })
    },
    isFull,
    inTextOrder: () => problems.toSorted((a, b) => a.at - b.at),
  }
}

export const quoted = (name: string): string =>
  `'${name.length > LONGEST_QUOTE ? `${name.slice(0, LONGEST_QUOTE)}…` : name}'`

/** `'a', 'b', 'c'`; only the first names are listed. */
export function listed(names: Iterable<string>, count: number): string {
  const shown = Iterator.from(names).take(MOST_LISTED).map(quoted).toArray().join(', ')
  return count > MOST_LISTED ? `${shown} and ${count - MOST_LISTED} more` : shown
}

/** `1 argument`, `2 arguments` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
