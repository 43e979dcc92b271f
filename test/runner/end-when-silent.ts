/** Ends a process in which a test hangs, and says which: without it, a test that waits for ever holds the whole run. */
import type { TestsStream } from 'node:test'

type Named = { readonly name: string; readonly file?: string }

/**
 * Ends this process with code 1 when no test has begun or ended for so many seconds, after it has told `tell` what was running.
 *
 * @param seconds above what the slowest test takes on a busy machine
 */
export function endWhenSilent(events: TestsStream, seconds: number, tell: (text: string) => void): void {
  const running = new Set<string>()
  const labelOf = ({ name, file }: Named): string => (file === undefined ? name : `${file}: ${name}`)
  const timer = setTimeout(() => {
    const names = running.size === 0 ? 'while files were loaded' : `in ${[...running].join(', in ')}`
    tell(`✖ no test has begun or ended for ${seconds} s, ${names}\n`)
    process.exit(1)
  }, seconds * 1000).unref()
  events.on('test:dequeue', (test) => {
    running.add(labelOf(test))
    timer.refresh()
  })
  events.on('test:complete', (test) => {
    running.delete(labelOf(test))
    timer.refresh()
  })
}
