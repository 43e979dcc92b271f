/** Compares what is counted for the values of a run with what they take in the heap. */
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { noLimits } from '../run/limits.ts'
import { SharedHeap } from '../run/shared-heap.ts'
import { compileScript, runWith } from '../script.ts'
import { readJson } from '../values/json-read.ts'
import { type KindOfValue, scriptOf } from './kinds-of-values.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Outside of these, a run could take the memory of others, or would end before its time. */
export const LEAST_RATIO = 0.8
export const MOST_RATIO = 1.5

export type ChargedAndTaken = {
  /** Bytes per value. */
  readonly charged: number
  readonly taken: number
  readonly ratio: number
}

export async function chargedAndTaken(kind: KindOfValue, count: number): Promise<ChargedAndTaken> {
  const { program, problems } = compileScript(scriptOf(kind))
  assert.ok(program !== null, JSON.stringify(problems))
  const input = inputOf(kind, count)
  const before = await heapUsed()
  const heap = new SharedHeap(2 ** 31)
  const place = await heap.enter(0)
  assert.ok(place !== null)
  const { data, problem } = await runWith(program, { limits: noLimits, heap: place }, (context) =>
    readJson(input, context),
  )
  assert.equal(problem, null)
  const charged = place.giveBack()
  const taken = (await heapUsed()) - before
  // Until here, nothing of the run may be collected.
  assert.ok(data !== null && input !== '')
  place.leave()
  return { charged: charged / count, taken: taken / count, ratio: charged / taken }
}

/** Collects until nothing more is freed: other threads of the engine free memory, some of it only when the loop has turned. */
export async function heapUsed(): Promise<number> {
  for (let least = Number.POSITIVE_INFINITY; ; ) {
    collect()
    await setImmediate()
    collect()
    const { heapUsed, external } = process.memoryUsage()
    if (heapUsed + external > least - PAGE_BYTES) return least
    least = heapUsed + external
  }
}

const PAGE_BYTES = 4096

function inputOf({ json }: KindOfValue, count: number): string {
  const body = json === undefined ? 'null' : `[${Array.from({ length: count }, (_, i) => json(i)).join()}]`
  return Buffer.from(`{"n":${count},"body":${body}}`).toString()
}
