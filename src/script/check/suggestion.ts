/** Suggests the known name closest to a mistyped one, as the end of a message. */
import { closest } from '../../kernel/closest.ts'
import { quoted } from './problem-list.ts'

/** Names shorter than this are close to too many others. */
const SHORTEST_NAME = 3
const LONGEST_NAME = 60

/** Limit for all problems of a script together: the script decides how many names and problems are compared. */
const MOST_COMPARISONS = 50_000

/** `; did you mean 'ToUpper'?`, or nothing when no name is near. */
export type Suggest = (name: string, known: Iterable<string>) => string

export function suggester(): Suggest {
  let comparisons = 0
  function* comparable(known: Iterable<string>): Generator<string> {
    for (const candidate of known) {
      if (comparisons++ >= MOST_COMPARISONS) return
      if (candidate.length <= LONGEST_NAME) yield candidate
    }
  }
  return (name, known) => {
    if (name.length < SHORTEST_NAME || name.length > LONGEST_NAME) return ''
    const nearest = closest(name, comparable(known))
    return nearest === undefined ? '' : `; did you mean ${quoted(nearest)}?`
  }
}
