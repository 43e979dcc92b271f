import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { readEventStream } from './event-stream.ts'
import { ApiProblem } from './problem.ts'

it('a stream that is refused tells the holder of the credential, and is not tried again', async (t) => {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"The token has expired"}')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  let refusals = 0
  const credential = () => ({
    ...{ header: 'Authorization' as const, value: 'Bearer old' },
    onRefused: () => void refusals++,
  })
  const reading = readEventStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`, {
    credential,
    signal: new AbortController().signal,
    onEvent: () => undefined,
  })
  await assert.rejects(reading, (cause) => cause instanceof ApiProblem && cause.status === 401)
  assert.deepEqual([requests, refusals], [1, 1])
})
