/** Drives a machine slice by slice: lets the event loop turn between slices, and awaits what the machine waits for. */

import { heldSince, isTurnDue, SLICE_MS, sliceMs, turn } from '../../kernel/turns.ts'
import { ScriptFailure } from '../failure.ts'
import { limitReached } from './limits.ts'
import type { Machine } from './machine.ts'

export async function runToEnd(machine: Machine): Promise<void> {
  const { owner, watched } = machine
  for (;;) {
    // Other runs may have held the thread until now, or the result that this one waited for did.
    if (isTurnDue(owner)) await turn(owner)
    const began = performance.now()
    const standing = machine.run(began + sliceMs(owner))
    machine.usedMs += performance.now() - began
    if (watched !== undefined && standing !== 'ended') watched.run = machine
    if (standing === 'waiting') {
      await answerOf(machine)
      // The awaited result may have come without the event loop turning even once. A long wait held nothing.
      heldSince(began, owner, Math.min(performance.now() - began, SLICE_MS))
    } else heldSince(began, owner)
    if (standing === 'ended') return
    if (standing === 'paused') await turn(owner)
  }
}

/**
 * Awaits the result that the run waits for, or refuses it when the time is over or the run is cancelled. During a long wait
 * the run gives up its place, and takes one again before it goes on.
 */
async function answerOf(machine: Machine): Promise<void> {
  const { place, waitingFor: awaited } = machine
  if (awaited === null) throw new Error('A machine that waits has to wait for something')
  const asked = performance.now()
  // Noted when the result comes, not when this run continues: another one may hold the thread until then.
  let answeredAt: number | undefined
  const note = () => {
    answeredAt = performance.now()
  }
  awaited.then(note, note)
  let timer: NodeJS.Timeout | undefined
  let hasLeft = false
  const over = new Promise<never>((_, reject) => {
    // The timer also keeps the process alive during the wait.
    const look = (nextMs: number) => {
      if (machine.timeLeft <= 0) reject(limitReached('milliseconds', machine.limits))
      else if (machine.abandoned !== null) reject(machine.abandoned)
      else if (machine.isCancelled) reject(new ScriptFailure('JM5003', 'The run was cancelled'))
      else timer = setTimeout(lookAgain, Math.max(1, Math.min(machine.timeLeft, nextMs)))
    }
    const lookAgain = () => {
      if (!hasLeft && machine.timeLeft > 0) place?.leave()
      hasLeft = true
      look(LOOK_EVERY_MS)
    }
    look(LONG_WAIT_MS)
  })
  try {
    const value = await Promise.race([awaited, over])
    if (hasLeft) await Promise.race([place?.retake(), over])
    machine.settle(value)
  } catch (reason) {
    machine.refuse(reason)
  } finally {
    clearTimeout(timer)
    machine.usedMs += (answeredAt ?? performance.now()) - asked
  }
}

/** A run that waits for longer gives up its place. Leaving costs two messages between threads, so short waits keep it. */
const LONG_WAIT_MS = 20

/** Interval of the checks for time and cancellation while a run waits. */
const LOOK_EVERY_MS = 50
