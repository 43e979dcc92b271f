/** Gathers problems of one script. Whoever fills it stops when it is full: what a hostile script can make us say is bounded. */
import type { ScriptProblem, ScriptProblemCode } from '../script-problem.ts'

/** Nobody repairs more at once. */
const MOST_PROBLEMS = 1000

/** Longer names and lists are cut where messages quote them: a short call may be about very long ones. */
const LONGEST_QUOTE = 80
const MOST_LISTED = 12

export type ProblemList = {
  readonly add: (code: ScriptProblemCode, at: number, message: string) => void
  readonly isFull: () => boolean
  /** Of problems at one place the one found first comes first. */
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

/** `'a', 'b', 'c'`; of many names only the first are looked at. */
export function listed(names: Iterable<string>, count: number): string {
  const shown = Iterator.from(names).take(MOST_LISTED).map(quoted).toArray().join(', ')
  return count > MOST_LISTED ? `${shown} and ${count - MOST_LISTED} more` : shown
}

/** `1 argument`, `2 arguments` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
