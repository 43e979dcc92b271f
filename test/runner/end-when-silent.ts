/** Ends a process in which a test hangs, and says which: without it, a test that waits for ever holds the whole run. */
import { spawnSync } from 'node:child_process'
import type { TestsStream } from 'node:test'

type Named = { readonly name: string; readonly file?: string }

/**
 * Ends this process with code 1 when no test has begun or ended for so many seconds, after it has told `tell` what was running,
 * which processes it had started, and which connections and processes it waited for.
 *
 * @param seconds above what the slowest test takes on a busy machine
 */
export function endWhenSilent(events: TestsStream, seconds: number, tell: (text: string) => void): void {
  const running = new Set<string>()
  const labelOf = ({ name, file }: Named): string => (file === undefined ? name : `${file}: ${name}`)
  const timer = setTimeout(() => {
    const names = running.size === 0 ? 'while files were loaded' : `in ${[...running].join(', in ')}`
    tell(`✖ no test has begun or ended for ${seconds} s, ${names}\n${startedProcesses()}${awaited()}`)
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

/** The processes of this one's process group, with their states and processor times; empty where there is no `ps`. */
function startedProcesses(): string {
  const { stdout } = spawnSync('ps', ['-ww', '-eo', 'pgid,pid,ppid,stat,wchan:24,time,args'], {
    encoding: 'utf8',
  })
  const lines = (stdout ?? '').split('\n').map((line) => ({ line, ids: line.trim().split(/\s+/) }))
  const group = lines.find(({ ids }) => ids[1] === String(process.pid))?.ids[0]
  return lines.map(({ line, ids }) => (ids[0] === group ? `  ${line}\n` : '')).join('')
}

type Handle = {
  readonly type: string
  readonly is_active: boolean
  readonly pid?: number
  readonly localEndpoint?: { readonly port: number } | null
  readonly remoteEndpoint?: { readonly port: number } | null
}

/** What the event loop of this thread waits for, one line each: a process by its id, a connection by its two ports. */
function awaited(): string {
  const { libuv } = process.report.getReport() as { readonly libuv: readonly Handle[] }
  return libuv
    .filter(({ type, is_active }) => is_active && ['process', 'tcp', 'pipe'].includes(type))
    .map(({ type, pid, localEndpoint, remoteEndpoint }) => {
      const ports = [localEndpoint, remoteEndpoint].map((end) => end?.port ?? '-').join(' to ')
      return `  waits for ${type} ${type === 'process' ? pid : ports}\n`
    })
    .join('')
}
