import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { answerOf, createApi } from './client.ts'
import type { ApiProblem } from './problem.ts'

let asked: (response: ServerResponse) => void = () => undefined
let requests = 0
const server = createServer((_request, response) => {
  requests++
  asked(response)
})

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => server.close())

const refuse = (response: ServerResponse) => void response.writeHead(401).end()

describe('A call of the API', () => {
  const apiWith = (key: () => string) => {
    const ended: string[] = []
    const { port } = server.address() as AddressInfo
    const api = createApi({
      service: `http://127.0.0.1:${port}`,
      credential: () => ({ header: 'X-API-Key', value: key() }),
      onUnauthenticated: () => ended.push(key()),
    })
    const call = () => answerOf(api.GET('/api/admin/v1/me')).catch((problem: ApiProblem) => problem.status)
    return { ended, call }
  }

  it('ends the session when the credential is refused', async () => {
    asked = refuse
    const { ended, call } = apiWith(() => 'key')
    assert.equal(await call(), 401)
    assert.deepEqual(ended, ['key'])
  })

  it('does not end the session of a key that has taken the place of the refused one meanwhile', async () => {
    let key = 'old'
    asked = (response) => {
      key = 'new'
      refuse(response)
    }
    const { ended, call } = apiWith(() => key)
    assert.equal(await call(), 401)
    assert.deepEqual(ended, [])
  })

  it('is refused without a request when no header can carry the credential', async () => {
    asked = refuse
    requests = 0
    const { call } = apiWith(() => 'ключ')
    assert.equal(await call(), 401)
    assert.equal(requests, 0)
  })
})
