/** Drives a machine: slice by slice, with the event loop turning between them, and through whatever it waits for. */

import { heldSince, isTurnDue, SLICE_MS, turn } from '../../kernel/turns.ts'
import { ScriptFailure } from '../failure.ts'
import { limitReached } from './limits.ts'
import type { Machine } from './machine.ts'

export async function runToEnd(machine: Machine): Promise<void> {
  for (;;) {
    // Other runs may have held the thread until now, or what this one waited for did.
    if (isTurnDue()) await turn(machine.owner)
    const began = performance.now()
    const standing = machine.run(began + SLICE_MS)
    if (standing === 'waiting') await answerOf(machine)
    // What was waited for may have been there without the event loop turning even once.
    heldSince(began)
    if (standing === 'ended') return
    if (standing === 'paused') await turn(machine.owner)
  }
}

/** What the run waits for, or its end when that does not come in time. */
async function answerOf(machine: Machine): Promise<void> {
  const awaited = machine.waitingFor
  if (awaited === null) throw new Error('A machine that waits has to wait for something')
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    // Also keeps the process from ending while something is waited for.
    const look = () => {
      if (machine.timeLeft <= 0) reject(limitReached('milliseconds', machine.limits))
      else if (machine.isCancelled) reject(new ScriptFailure('JM5003', 'The run was cancelled'))
      else timer = setTimeout(look, Math.max(1, Math.min(machine.timeLeft, LOOK_EVERY_MS)))
    }
    look()
  })
  try {
    machine.settle(await Promise.race([awaited, over]))
  } catch (reason) {
    machine.refuse(reason)
  } finally {
    clearTimeout(timer)
  }
}

/** While a run waits. */
const LOOK_EVERY_MS = 50
