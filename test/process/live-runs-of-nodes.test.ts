/** Live runs of several nodes that share a store: each node lists and cancels the runs of all, and so do the commands. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { hostname } from 'node:os'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../fixtures/json.ts'
import { endless, rowOf } from './live-calls.ts'
import { type Installation, type Node, type NodeProcess, openInstallation } from './nodes.ts'
import { runCommand } from './run-command.ts'

describe('live runs of two nodes', () => {
  /** Answers nothing: runs that wait for it cost no processor. */
  const silent = createServer()
  let installation: Installation
  let here: Node
  let elsewhere: NodeProcess
  before(async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as AddressInfo
    installation = await openInstallation()
    const { endpoints } = installation.stores.control
    const { id } = await endpoints.create(
      {
        ...{ name: 'waiting', description: '', category: 'Utility', method: 'GET', path: 'waiting' },
        ...{
          requiresAuthentication: false,
          allowedRoles: [],
          allowedHosts: [`127.0.0.1:${port}`],
          signature: null,
          deduplication: null,
          record: 'full',
          maskedFields: [],
          schedules: [],
        },
        ...{ limits: endless, script: `HttpRequest({url: "http://127.0.0.1:${port}/", timeoutMs: 300000})` },
      },
      'test',
    )
    await endpoints.publish(id, 'test')
    const options = { env: { TRIPFOLIO_TRUSTED_HOSTS: '127.0.0.1' } }
    here = await installation.startNode(options)
    elsewhere = await installation.startProcess(options)
  })
  after(async () => {
    silent.close()
    await installation.close()
  })

  const runs = async (node: Node): Promise<Json> => node.operate('GET', '/executions/live')

  it('are listed and cancelled from either node, and by a command', async () => {
    const begin = (node: Node) => node.call('/api/dynamic/v1/waiting')
    const live = async (count: number): Promise<Json> => {
      let list = await runs(here)
      while (list.total !== count) list = await runs(here)
      return list
    }
    const calls = [here, elsewhere, elsewhere].map(begin)
    const first = await live(3)
    assert.deepEqual([first.silentNodes, new Set(first.items.map((run: Json) => run.node)).size], [[], 2])
    const ofElsewhere = (await runs(elsewhere)).items.filter(
      (run: Json) => run.node !== first.items.find((each: Json) => each.id === run.id).node,
    )
    assert.deepEqual(ofElsewhere, [])
    const remote = first.items.find((run: Json) => run.node !== `${hostname()}-${process.pid}`)
    await here.operate('POST', `/executions/live/${remote.id}/cancel`)
    assert.equal((await rowOf(installation.stores.history, remote.id)).error?.code, 'END105')
    assert.equal((await Promise.race(calls)).status, 503)
    // The other run of that node goes on.
    await live(2)
    const { stdout } = await runCommand(
      ['execution', 'cancel', '--endpoint', 'waiting', '--json', '--data', await installation.newFolder()],
      { TRIPFOLIO_STORE: installation.database },
    )
    assert.equal(JSON.parse(stdout).cancelled.length, 2)
    for (const { status } of await Promise.all(calls)) assert.equal(status, 503)
    for (const { id } of first.items as Json[]) {
      assert.equal((await rowOf(installation.stores.history, id)).status, 'Cancelled')
    }
  })

  it('name a node that was killed as silent', async () => {
    const { node } = await (async () => {
      const calling = elsewhere.call('/api/dynamic/v1/waiting').catch(() => null)
      let list = await runs(here)
      while (list.total < 1) list = await runs(here)
      await elsewhere.kill('SIGKILL')
      await calling
      return list.items[0]
    })()
    const list = await runs(here)
    assert.deepEqual([list.silentNodes, list.total], [[node], 0])
  })
})
