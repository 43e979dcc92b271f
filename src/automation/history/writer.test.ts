import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { storeNotWritable } from '../../directory/problems.ts'
import type { Observation } from '../../observe/observation.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import { createHistoryWriter } from './writer.ts'

const execution = (id: number, bodyLength = 0): Execution =>
  ({
    id: String(id),
    request: { body: 'x'.repeat(bodyLength) },
    response: { body: null },
    log: [],
  }) as unknown as Execution

/** A history that keeps the batches that it gets. */
function start(options: { readonly maxWaitingBytes?: number; readonly refuses?: Error } = {}) {
  const batches: string[][] = []
  const observations: Observation[] = []
  const settled: string[] = []
  const refusing = { with: options.refuses, times: 0 }
  const writer = createHistoryWriter({
    history: {
      record: async (executions) => {
        if (refusing.with !== undefined) {
          refusing.times++
          throw refusing.with
        }
        batches.push(executions.map(({ id }) => id))
      },
    },
    observe: (observation) => observations.push(observation),
    onSettled: (ids) => void settled.push(...ids),
    retryMs: 1,
    ...(options.maxWaitingBytes !== undefined && { maxWaitingBytes: options.maxWaitingBytes }),
  })
  return { writer, batches, observations, settled, refusing }
}

describe('the writer of the history', () => {
  it('writes all records in order and in batches, at the latest when it is closed', async () => {
    const { writer, batches, observations } = start()
    for (let i = 0; i < 250; i++) writer.add(execution(i))
    assert.deepEqual(batches, [], 'add() does not write at once')
    await writer.close()
    assert.deepEqual(
      batches.map(({ length }) => length),
      [200, 50],
    )
    assert.deepEqual(
      batches.flat(),
      Array.from({ length: 250 }, (_, i) => String(i)),
    )
    assert.deepEqual(observations, [])
  })

  it('drops records beyond the memory limit, and reports how many', async () => {
    const { writer, batches, observations } = start({ maxWaitingBytes: 10_000 })
    for (let i = 0; i < 5; i++) writer.add(execution(i, 2000))
    await writer.close()
    assert.deepEqual(batches.flat(), ['0', '1'])
    assert.deepEqual(
      observations.map((o) => (o.kind === 'history-lost' ? o.executions : o.kind)),
      [1, 1, 1],
    )
  })

  it('keeps records while the disk is full, and writes them in order afterwards', async () => {
    const full = storeNotWritable('/data/history.db', new Error('the disk is full'))
    const { writer, batches, observations, refusing } = start({ refuses: full })
    for (let i = 0; i < 250; i++) writer.add(execution(i))
    while (refusing.times < 3) await new Promise((resolve) => setTimeout(resolve, 1))
    writer.add(execution(250))
    refusing.with = undefined
    while (batches.flat().length < 251) await new Promise((resolve) => setTimeout(resolve, 1))
    await writer.close()
    assert.deepEqual(
      batches.flat(),
      Array.from({ length: 251 }, (_, i) => String(i)),
    )
    assert.deepEqual(observations, [])
  })

  it('has room for as many bytes as it has written', async () => {
    const { writer, batches, observations } = start({ maxWaitingBytes: 10_000 })
    for (let round = 0; round < 5; round++) {
      for (const nth of [0, 1]) writer.add(execution(2 * round + nth, 2000))
      await writer.close()
    }
    assert.deepEqual(
      batches.flat(),
      Array.from({ length: 10 }, (_, id) => String(id)),
    )
    assert.deepEqual(observations, [])
  })

  it('keeps no more than the memory limit while the disk is full', async () => {
    const full = storeNotWritable('/data/history.db', new Error('the disk is full'))
    const { writer, batches, observations, refusing } = start({ maxWaitingBytes: 10_000, refuses: full })
    for (const id of [0, 1]) writer.add(execution(id, 2000))
    while (refusing.times < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    writer.add(execution(2, 2000))
    refusing.with = undefined
    await writer.close()
    assert.deepEqual(batches.flat(), ['0', '1'])
    assert.equal(observations.length, 1)
  })

  it('reports the records that the full disk did not take when it is closed, and leaves them to the journal', async () => {
    const full = storeNotWritable('/data/history.db', new Error('the disk is full'))
    const { writer, observations, settled } = start({ refuses: full })
    for (let i = 0; i < 150; i++) writer.add(execution(i))
    await writer.close()
    assert.deepEqual(settled, [])
    assert.deepEqual(observations, [{ kind: 'history-lost', executions: 150, reason: full.message }])
  })

  it('reports records that could not be written, and continues', async () => {
    const { writer, observations } = start({ refuses: new Error('the disk is full') })
    for (let i = 0; i < 150; i++) writer.add(execution(i))
    await writer.close()
    assert.deepEqual(observations, [{ kind: 'history-lost', executions: 150, reason: 'the disk is full' }])
  })
})
