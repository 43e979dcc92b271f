import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fastify } from 'fastify'
import { prepareForOperators } from './operator-address.ts'

it('the address for operators takes no connection before the server can answer', async (t) => {
  const server = fastify()
  t.after(() => server.close())
  server.get('/livez', async () => 'ok')
  // Callers know the port from the threads that listen already.
  const probe = fastify()
  const port = Number(new URL(await probe.listen({ host: '127.0.0.1', port: 0 })).port)
  await probe.close()
  const listenForOperators = prepareForOperators(server, { host: '127.0.0.1', port })
  await assert.rejects(fetch(`http://127.0.0.1:${port}/livez`))
  await server.listen({ host: '127.0.0.1', port: 0 })
  const address = await listenForOperators()
  assert.equal((await fetch(`${address}/livez`)).status, 200)
})
