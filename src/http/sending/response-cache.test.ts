import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { account, apiKey, snapshot, standInAnswer, startServer } from '../testing/server.ts'
import { type BufferedBody, joined } from './buffered-body.ts'
import { ResponseCache } from './response-cache.ts'

function body(text: string): BufferedBody {
  const parts = ['<', Buffer.from(text), 'é>']
  return {
    parts,
    byteLength: joined(parts).byteLength,
    total: 1,
    headers: ['content-type', 'text/plain'],
    links: null,
  }
}

describe('the response cache', () => {
  it('keeps a body that is offered a second time, as one buffer', () => {
    const cache = new ResponseCache(1000)
    cache.offer('a', body('x'))
    assert.equal(cache.get('a'), undefined)
    cache.offer('a', body('x'))
    assert.deepEqual(cache.get('a'), { ...body('x'), parts: [Buffer.from('<xé>')] })
  })

  it('keeps at most its size', () => {
    const cache = new ResponseCache(2000)
    for (const key of ['a', 'a', 'b', 'b', 'c', 'c']) cache.offer(key, body('x'.repeat(400)))
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => cache.get(key) !== undefined),
      [false, true, true],
    )
    for (let i = 0; i < 2; i++) cache.offer('large', body('x'.repeat(4000)))
    assert.equal(cache.get('large'), undefined)
  })

  it('forgets keys that were requested once, instead of growing with every request', () => {
    const cache = new ResponseCache(1_000_000)
    cache.offer('early', body('x'))
    for (let i = 0; i < 10_000; i++) cache.offer(`${i}`, body('x'))
    cache.offer('early', body('x'))
    assert.equal(cache.get('early'), undefined)
  })
})

describe('an answer that is requested again', () => {
  it('is the same, and the third request runs no query', async (t) => {
    let executed = 0
    const { get } = await startServer(t, {
      answer: async (request) => {
        const found = standInAnswer(request, 3, { chunks: 0, bytes: 0, ended: false })
        return {
          ...found,
          execute: () => {
            executed++
            return found.execute()
          },
        }
      },
    })
    const answers = []
    for (let i = 0; i < 4; i++) {
      const response = await get('/api/v2/bookings?$pageSize=2')
      answers.push([response.status, response.headers.get('content-length'), await response.text()])
    }
    assert.equal(executed, 2)
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    const head = await get('/api/v2/bookings?$pageSize=2', { method: 'HEAD' })
    assert.deepEqual([head.headers.get('content-length'), await head.text()], [answers[0]?.[1], ''])
    assert.equal(executed, 2)
  })

  it("is never another client's, even when the tags are equal", async (t) => {
    const clients = ['C1', 'C2']
    let turn = 0
    const { url } = await startServer(t, {
      authenticate: () => ({ ...account, clientNumber: clients[turn++ % 2] as string }),
      answer: async (request) => ({
        ...standInAnswer(request, 1, { chunks: 0, bytes: 0, ended: false }),
        clientNumber: request.principal.clientNumber,
        snapshotId: snapshot.id,
      }),
    })
    for (let i = 0; i < 8; i++) {
      const response = await fetch(`${url}/api/v2/bookings`, { headers: { 'X-API-Key': apiKey } })
      const { clientNumber } = (await response.json()) as { readonly clientNumber: string }
      assert.equal(clientNumber, clients[i % 2])
    }
  })
})
