/** What is remembered of a query changes no answer: neither for another client, nor after a refresh, nor for a refusal. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Stage } from '../../src/observe/observation.ts'
import { answer } from '../../src/read/answer.ts'
import { harbour, limmat } from '../fixtures/fixture-extract.ts'
import { bodyOf, startService } from './start-service.ts'

describe('a query that is asked again', () => {
  it('is neither parsed nor bound nor planned a second time, and is answered alike', async (t) => {
    const { answering, close } = await startService()
    t.after(close)
    const stages: Stage[] = []
    const deps = {
      ...answering,
      observe: (observation: Parameters<typeof answering.observe>[0]) => {
        if (observation.kind === 'stage-timed') stages.push(observation.stage)
      },
    }
    let read = 0
    const ask = async (clientNumber: string, query: string | null) => {
      stages.length = 0
      const found = await answer(
        {
          version: 2,
          list: 'bookings',
          principal: { accountId: 'a', accountName: 'a', clientNumber },
          query,
          parameters: () => {
            read++
            return [['$filter', "originatingAgency eq 'Online'"]]
          },
        },
        deps,
      )
      const { total } = await found.execute()
      return { etag: found.etag, total }
    }
    const first = await ask(harbour, 'q')
    assert.deepEqual(stages, ['parse', 'load', 'bind', 'plan', 'execute'])
    assert.deepEqual(await ask(harbour, 'q'), first)
    assert.deepEqual(stages, ['load', 'execute'])
    assert.equal(read, 1)
    const other = await ask(limmat, 'q')
    assert.deepEqual(stages, ['parse', 'load', 'bind', 'plan', 'execute'])
    assert.notEqual(other.etag, first.etag)
    assert.deepEqual(await ask(harbour, 'another'), first)
    for (let i = 0; i < 2; i++) assert.deepEqual(await ask(harbour, null), first)
    assert.deepEqual(stages, ['parse', 'load', 'bind', 'plan', 'execute'])
  })

  it('is refused each time it cannot be understood, with its own message', async (t) => {
    const service = await startService()
    t.after(service.close)
    const key = await service.keyOf(harbour)
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await service.request('/api/v2/bookings?$filter=nothing eq 1', key)
      assert.deepEqual([status, headers.get('etag')], [400, null])
      const body = await bodyOf(await service.request('/api/v2/bookings?$filter=nothing eq 1', key))
      assert.equal(body.parameter, '$filter')
      assert.equal((await service.request('/api/v2/invoices?$filter=company ne null', key)).status, 200)
      assert.equal((await service.request('/api/v2/bookings?$filter=company ne null', key)).status, 400)
    }
  })
})
