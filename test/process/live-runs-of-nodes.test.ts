/** Live runs of several nodes that share a store: each node lists and cancels the runs of all, and so do the commands. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../fixtures/json.ts'
import { endless, rowOf } from './live-calls.ts'
import { type Installation, type Node, openInstallation } from './nodes.ts'
import { runCommand } from './run-command.ts'

describe('live runs of two nodes', () => {
  let installation: Installation
  let here: Node
  let elsewhere: Node
  before(async () => {
    installation = await openInstallation()
    const { endpoints } = installation.stores.control
    const { id } = await endpoints.create(
      {
        ...{ name: 'burning', description: '', category: 'Utility', method: 'GET', path: 'burning' },
        ...{
          requiresAuthentication: false,
          allowedRoles: [],
          allowedHosts: [],
          signature: null,
          deduplication: null,
          record: 'full',
          maskedFields: [],
          schedules: [],
        },
        ...{ limits: endless, script: 'while true do end' },
      },
      'test',
    )
    await endpoints.publish(id, 'test')
    here = await installation.startNode()
    elsewhere = await installation.startNode()
  })
  after(() => installation.close())

  const runs = async (node: Node): Promise<Json> => node.operate('GET', '/executions/live')

  it('are listed and cancelled from either node, and by a command', async () => {
    const calls = [here, elsewhere, elsewhere].map((node) => node.call('/api/dynamic/v1/burning'))
    let list = await runs(here)
    while (list.total < 3) list = await runs(here)
    assert.deepEqual([list.silentNodes, new Set(list.items.map((run: Json) => run.node)).size], [[], 2])
    const ofElsewhere = (await runs(elsewhere)).items.filter(
      (run: Json) => run.node !== list.items.find((each: Json) => each.id === run.id).node,
    )
    assert.deepEqual(ofElsewhere, [])
    const counts = Map.groupBy(list.items as Json[], (run) => run.node)
    const [remote] = [...counts.values()].find((found) => found.length === 2) ?? []
    await here.operate('POST', `/executions/live/${remote?.id}/cancel`)
    assert.equal((await rowOf(installation.stores.history, remote?.id)).error?.code, 'END105')
    const { stdout } = await runCommand(
      ['execution', 'cancel', '--endpoint', 'burning', '--json', '--data', await installation.newFolder()],
      { TRIPFOLIO_STORE: installation.database },
    )
    assert.equal(JSON.parse(stdout).cancelled.length, 2)
    for (const { status } of await Promise.all(calls)) assert.equal(status, 503)
    for (const { id } of list.items as Json[]) {
      assert.equal((await rowOf(installation.stores.history, id)).status, 'Cancelled')
    }
  })

  it('name a node that was killed as silent', async () => {
    const { node } = await (async () => {
      const calling = elsewhere.call('/api/dynamic/v1/burning').catch(() => null)
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
