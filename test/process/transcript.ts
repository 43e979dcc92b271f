/** What a service has printed so far, and waiting for what it is to print. */
export type Transcript = {
  readonly add: (text: string) => void
  /** Nothing more will come: what still waits for a text fails. */
  readonly end: (why: string) => void
  readonly text: () => string
  /** Waits until the text matches; fails after two minutes, or when nothing more will come. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>
}

/** Above what the slowest start takes on a busy machine. */
const LONGEST_WAIT_MS = 120_000

export function openTranscript(): Transcript {
  let text = ''
  let ended: string | null = null
  const waiting = new Set<() => void>()
  const lookAgain = () => {
    for (const look of waiting) look()
  }
  return {
    add: (more) => {
      text += more
      lookAgain()
    },
    end: (why) => {
      ended = why
      lookAgain()
    },
    text: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text)
          if (match === null && ended === null) return
          waiting.delete(look)
          clearTimeout(timer)
          if (match !== null) resolve(match)
          else reject(new Error(`${ended} before it said ${pattern}:\n${text}`))
        }
        const timer = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`It has not said ${pattern} for ${LONGEST_WAIT_MS} ms:\n${text}`))
        }, LONGEST_WAIT_MS)
        waiting.add(look)
        look()
      }),
  }
}
