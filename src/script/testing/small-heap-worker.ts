/** A thread with a small heap that runs scripts which allocate without end, several at a time, beside one that counts to its end. */
import assert from 'node:assert/strict'
import { parentPort, workerData } from 'node:worker_threads'
import { serviceLimits } from '../problems.ts'
import { compileScript, type FinishedRun, runWith, SharedHeap } from '../script.ts'
import type { SmallHeapWork } from './small-heap.ts'

const { programs, atOnce, memoryBytes, sharedBytes } = workerData as SmallHeapWork
const limits = { ...serviceLimits, memoryBytes }
const heap = new SharedHeap(sharedBytes)

async function run(text: string, milliseconds: number): Promise<FinishedRun> {
  const { program, problems } = compileScript(text)
  assert.ok(program !== null, `${JSON.stringify(problems)} ${text}`)
  const place = await heap.enter(60_000)
  assert.ok(place !== null)
  try {
    return await runWith(
      program,
      { limits: { ...limits, milliseconds }, heap: place, owner: text },
      (context) => context.object(),
    )
  } finally {
    place.leave()
  }
}

/** By a limit of memory, statements, loops or time, or for the other runs. */
const ENDS = new Set(['JM5900', 'JM5901', 'JM5903', 'JM5910', 'JM5912'])

const COUNTING = 'var sum = 0 for i in 0 to 2000 do sum = sum + i Data.x = [i] end Data.sum = sum'

for (let first = 0; first < programs.length; first += atOnce) {
  const batch = programs.slice(first, first + atOnce)
  parentPort?.postMessage(batch)
  const [counting, ...ended] = await Promise.all([
    // However slow the machine is, only what the others take may end it.
    run(COUNTING, 600_000),
    ...batch.map((text) => run(text, 2000)),
  ])
  assert.equal(counting?.problem, null)
  for (const [i, { problem }] of ended.entries()) {
    assert.ok(problem !== null && ENDS.has(problem.code), `${JSON.stringify(problem)} ${batch[i]}`)
  }
}
