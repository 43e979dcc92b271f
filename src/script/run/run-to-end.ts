/** Drives a machine: slice by slice, with the event loop turning between them, and through whatever it waits for. */
import { setImmediate as turn } from 'node:timers/promises'
import { type Limits, limitReached } from './limits.ts'
import type { Machine } from './machine.ts'

/** How long a slice may hold the thread. */
const SLICE_MS = 5

export async function runToEnd(machine: Machine): Promise<void> {
  machine.begin()
  for (;;) {
    const standing = machine.run(performance.now() + SLICE_MS)
    if (standing === 'ended') return
    if (standing === 'paused') await turn()
    else await answerOf(machine)
  }
}

/** What the run waits for, or its end when that does not come in time. */
async function answerOf(machine: Machine): Promise<void> {
  const awaited = machine.waitingFor
  if (awaited === null) throw new Error('A machine that waits has to wait for something')
  const { limits, timeLeft } = machine
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    if (timeLeft < MOST_DELAY_MS) timer = setTimeout(() => reject(overTime(limits)), Math.max(0, timeLeft))
  })
  try {
    machine.settle(await Promise.race([awaited, late]))
  } catch (reason) {
    machine.refuse(reason)
  } finally {
    clearTimeout(timer)
  }
}

/** Timers cannot be set for longer. */
const MOST_DELAY_MS = 2 ** 31 - 1

const overTime = (limits: Limits) => limitReached('milliseconds', limits)
