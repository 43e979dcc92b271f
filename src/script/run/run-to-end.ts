/** Drives a machine slice by slice: lets the event loop turn between slices, and awaits what the machine waits for. */

import { heldSince, isTurnDue, SLICE_MS, turn } from '../../kernel/turns.ts'
import { ScriptFailure } from '../failure.ts'
import { limitReached } from './limits.ts'
import type { Machine } from './machine.ts'

export async function runToEnd(machine: Machine): Promise<void> {
  for (;;) {
    // Other runs may have held the thread until now, or the result that this one waited for did.
    if (isTurnDue()) await turn(machine.owner)
    const began = performance.now()
    const standing = machine.run(began + SLICE_MS)
    machine.usedMs += performance.now() - began
    if (standing === 'waiting') await answerOf(machine)
    // The awaited result may have come without the event loop turning even once.
    heldSince(began)
    if (standing === 'ended') return
    if (standing === 'paused') await turn(machine.owner)
  }
}

/** Awaits the result that the run waits for, or refuses it when the time is over or the run is cancelled. */
async function answerOf(machine: Machine): Promise<void> {
  const awaited = machine.waitingFor
  if (awaited === null) throw new Error('A machine that waits has to wait for something')
  const asked = performance.now()
  // Noted when the result comes, not when this run continues: another one may hold the thread until then.
  let answeredAt: number | undefined
  const note = () => {
    answeredAt = performance.now()
  }
  awaited.then(note, note)
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    // The timer also keeps the process alive during the wait.
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
    machine.usedMs += (answeredAt ?? performance.now()) - asked
  }
}

/** Interval of the checks for time and cancellation while a run waits. */
const LOOK_EVERY_MS = 50
