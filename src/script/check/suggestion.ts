/** Which known name a mistyped one was probably meant to be, as the end of a message. */
import { closest } from '../../kernel/closest.ts'
import { quoted } from './problem-list.ts'

/** Every name is near to a shorter one. */
const SHORTEST_NAME = 3
const LONGEST_NAME = 60

/** For all problems of a script together: comparing takes its time, and both names and problems are the script's. */
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
