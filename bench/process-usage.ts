/**
 * Measures processor time and memory of a process and its children, from /proc. On systems without /proc every figure is
 * NaN, and the report shows a dash.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Processor time of the processes and all their descendants, ended ones included, in microseconds. */
export function processorTime(roots: readonly number[]): number {
  const processes = readProcesses()
  const own = (pid: number): number => {
    const seen = processes.get(pid)
    if (seen === undefined) return Number.NaN
    return seen.ticks + sum(seen.children.map(own).filter(Number.isFinite))
  }
  return sum(roots.map(own)) * microsecondsPerTick()
}

const LOOK_MS = 250
const MOST_LOOKS = 20
const STEADY_BYTES = 2 ** 20

/** Waits until the figure stays the same, because garbage is collected and pages are freed with a delay. */
export async function settledBytes(pids: readonly number[]): Promise<number> {
  const look = () => sum(pids.map(residentBytes))
  let last = look()
  for (let looks = 0, steady = 0; looks < MOST_LOOKS && steady < 3; looks++) {
    await wait(LOOK_MS)
    const now = look()
    steady = Math.abs(now - last) < STEADY_BYTES ? steady + 1 : 0
    last = now
  }
  return last
}

/** The most resident memory since `forgetPeak`, in bytes. */
export const peakBytes = (pids: readonly number[]): number =>
  sum(pids.map((pid) => statusBytes(pid, 'VmHWM')))

/** 5 resets the peak (proc(5), clear_refs). */
export function forgetPeak(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, '5')
    } catch {
      // When it cannot be reset, or without /proc, the peak counts from the start of the process.
    }
  }
}

/** Resident memory, shared pages included. */
const residentBytes = (pid: number): number => statusBytes(pid, 'VmRSS')

type Process = { readonly ticks: number; readonly children: number[] }

function readProcesses(): ReadonlyMap<number, Process> {
  const found = new Map<number, Process & { readonly parent: number }>()
  for (const entry of entriesOf('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    // The name is in parentheses and may itself contain spaces and parentheses.
    const fields = textOf(`/proc/${entry}/stat`).split(') ').at(-1)?.split(' ') ?? []
    if (fields.length < 15) continue
    const ticks = sum(fields.slice(11, 15).map(Number))
    found.set(Number(entry), { ticks, children: [], parent: Number(fields[1]) })
  }
  for (const [pid, { parent }] of found) found.get(parent)?.children.push(pid)
  return found
}

function statusBytes(pid: number, name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(textOf(`/proc/${pid}/status`))?.[1]
  return kilobytes === undefined ? Number.NaN : Number(kilobytes) * 1024
}

let tick: number | undefined

function microsecondsPerTick(): number {
  tick ??= 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return tick
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
