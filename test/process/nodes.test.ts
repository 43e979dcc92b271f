/** Several nodes on one store: what is changed on one of them holds on all from the next request on. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { repeated } from '../campaign.ts'
import { clientNumber, type Installation, type Node, openInstallation } from './nodes.ts'

const PAGE = '/api/v2/bookings?pageSize=1'
const ROTATE = '/api/v2/service-accounts/me/rotate-api-key'

let installation: Installation
let nodes: readonly [Node, Node, Node]

const newAccount = async (name: string) => {
  const { account, apiKey } = await installation.stores.control.accounts.create(
    { clientNumber, name },
    'test',
  )
  return { id: account.id, apiKey }
}

const withKey = (key: string) => ({ headers: { 'x-api-key': key } })

const statusOf = async (node: Node, key: string): Promise<number> =>
  (await node.call(PAGE, withKey(key))).status

/** What each of the nodes answers, asked one after the other. */
const statusesOf = async (key: string): Promise<readonly number[]> => {
  const statuses: number[] = []
  for (const node of nodes) statuses.push(await statusOf(node, key))
  return statuses
}

const rotate = async (node: Node, key: string): Promise<string | null> => {
  const { status, body } = await node.call(ROTATE, { method: 'POST', ...withKey(key) })
  if (status === 200) return JSON.parse(body).apiKey
  assert.equal(status, 401, body)
  return null
}

describe('nodes on one store', () => {
  before(async () => {
    installation = await openInstallation()
    const { startNode, startProcess } = installation
    // Two nodes in one process could share what they should not; a process of its own cannot.
    nodes = await Promise.all([startNode(), startNode(), startProcess()])
  })
  after(() => installation.close())

  describe('keys that are rotated on several nodes', () => {
    it('open nowhere after the answer of their rotation, and their successors open everywhere', async () => {
      const leastCalls = repeated(1000, 100_000)
      const leastRotations = repeated(8, 20)
      const { apiKey } = await newAccount('rotated')
      // The last key is the one that opens; the others are dead since their rotation was answered.
      const keys = [apiKey]
      let calls = 0
      let dead = 0
      let rotations = 0
      // Which of the two takes longer depends on what else the machine does.
      const isOver = () => calls >= leastCalls && rotations >= leastRotations

      const callOver = async (caller: number) => {
        for (let call = caller; !isOver(); call++) {
          const age = call % 3
          const key = keys.at(-1 - age)
          if (key === undefined) continue
          calls++
          const status = await statusOf(nodes[Math.floor(call / 3) % nodes.length] as Node, key)
          // The key that is replaced right now may open or not.
          if (age === 0) assert.ok(status === 200 || status === 401, `${status}`)
          else assert.equal(status, 401, 'a dead key opens')
          if (age > 0) dead++
        }
      }
      const rotateOver = async () => {
        while (!isOver()) {
          const next = await rotate(nodes[rotations % nodes.length] as Node, keys.at(-1) as string)
          assert.ok(next !== null)
          keys.push(next)
          rotations++
          const [newest, before] = [keys.at(-1) as string, keys.at(-2) as string]
          assert.deepEqual(await statusesOf(newest), [200, 200, 200])
          assert.deepEqual(await statusesOf(before), [401, 401, 401])
        }
      }
      await Promise.all([...Array.from({ length: 16 }, (_, caller) => callOver(caller)), rotateOver()])
      assert.ok(dead > leastCalls / 3, `${dead} calls with dead keys`)
    })

    it('have one successor when all nodes rotate them at once', async () => {
      const { apiKey } = await newAccount('raced')
      let key = apiKey
      for (let round = 0; round < repeated(10, 1000); round++) {
        const successors = await Promise.all([...nodes, ...nodes].map((node) => rotate(node, key)))
        const given = successors.filter((successor) => successor !== null)
        assert.equal(given.length, 1, `round ${round}`)
        assert.deepEqual(await statusesOf(key), [401, 401, 401])
        key = given[0] as string
        assert.deepEqual(await statusesOf(key), [200, 200, 200])
      }
    })
  })

  describe('what an operator changes on one node', () => {
    it('locks, disables and replaces keys on the other node from its next request on', async () => {
      const [one, , other] = nodes
      for (let round = 0; round < repeated(3, 30); round++) {
        const { id, apiKey } = await newAccount(`switched ${round}`)
        assert.equal(await statusOf(other, apiKey), 200)
        for (const [verb, status] of [
          ['lock', 401],
          ['unlock', 200],
          ['disable', 401],
          ['enable', 200],
        ] as const) {
          await one.operate('POST', `/accounts/${id}/${verb}`)
          assert.equal(await statusOf(other, apiKey), status, verb)
        }
        const { apiKey: next } = await one.operate('POST', `/accounts/${id}/rotate`)
        assert.deepEqual([await statusOf(other, apiKey), await statusOf(other, next)], [401, 200])
        const { psk } = await one.operate('POST', `/accounts/${id}/psk`)
        const withPsk = () => other.call('/api/v1/bookings', { headers: { psk } })
        assert.equal((await withPsk()).status, 200)
        await one.operate('DELETE', `/accounts/${id}/psk`)
        assert.equal((await withPsk()).status, 401)
      }
    })

    it('is what the other node runs: endpoints and the secrets that they read', async () => {
      const [one, , other] = nodes
      const draft = (version: number) => ({
        name: 'Shared',
        description: '',
        category: 'Utility',
        method: 'GET',
        path: 'shared',
        requiresAuthentication: false,
        allowedRoles: [],
        limits: {},
        signature: null,
        deduplication: null,
        record: 'full',
        maskedFields: [],
        script: `Data._payload = { "version": ${version}, "secret": GetSecret("Payment") }`,
      })
      const ask = async (node: Node) => {
        const { status, body } = await node.call('/api/dynamic/v1/shared')
        return status === 200 ? JSON.parse(body) : status
      }
      assert.deepEqual([await ask(one), await ask(other)], [404, 404])
      const { id } = await one.operate('POST', '/endpoints', draft(1))
      assert.equal(await ask(other), 404)
      const versions = repeated(4, 10)
      for (let version = 1; version <= versions; version++) {
        await one.operate('PUT', '/secrets/Payment', { value: `canary ${version}` })
        if (version > 1) await one.operate('PUT', `/endpoints/${id}`, draft(version))
        await one.operate('POST', `/endpoints/${id}/publish`, {})
        const answer = { version, secret: `canary ${version}` }
        assert.deepEqual([await ask(other), await ask(one)], [answer, answer])
      }
      await one.operate('POST', `/endpoints/${id}/deactivate`)
      assert.equal(await ask(other), 404)
      // Runs are recorded after their answers.
      const recorded = async () => (await other.operate('GET', '/executions')).items.length
      while ((await recorded()) < 2 * versions) await sleep(20)
    })

    it('is recorded once, in the order of the changes', async () => {
      const [one, , other] = nodes
      const { id } = await newAccount('recorded')
      const verbs = ['lock', 'unlock', 'disable', 'enable']
      for (const [index, verb] of verbs.entries()) {
        await (index % 2 === 0 ? one : other).operate('POST', `/accounts/${id}/${verb}`)
      }
      const { items } = await other.operate('GET', `/audit?subjectId=${id}`)
      assert.deepEqual(
        items.map(({ action }: { action: string }) => action).reverse(),
        ['create', ...verbs].map((verb) => `account.${verb}`),
      )
    })
  })
})
