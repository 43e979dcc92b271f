/** Endpoints whose scripts ask the service that runs them: themselves, in a ring, through redirects and by repeating runs. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { issuerOf } from '../browser/site.ts'
import { type EndpointsFolder, openEndpointsFolder } from './published-endpoints.ts'
import { type ServingHere, serveHere } from './service-in-process.ts'

const env = { TRIPFOLIO_TRUSTED_HOSTS: '127.0.0.1', TRIPFOLIO_SCRIPT_QUEUE_MILLISECONDS: '500' }

let folder: EndpointsFolder
let serving: ServingHere
let calls: string
before(async () => {
  folder = await openEndpointsFolder()
  serving = await serveHere(folder.data, { env })
  calls = `${serving.address}/api/dynamic/v1`
})
after(async () => {
  await serving?.close()
  await folder?.close()
})

/** A public endpoint whose script may ask this service; the text AT stands for the address of all endpoints. */
async function publish(path: string, script: string): Promise<string> {
  const { id } = await folder.publish(path, script.replaceAll('AT', calls), { milliseconds: 20_000 })
  const endpoint = await folder.store.endpoints.find(id)
  const allowedHosts = [new URL(calls).host]
  await folder.store.endpoints.saveDraft(id, { ...endpoint.draft, allowedHosts }, 'test')
  await folder.store.endpoints.publish(id, 'test')
  while ((await fetch(`${calls}/${path}`, { method: 'OPTIONS' })).status !== 204)
    await new Promise(setImmediate)
  return id
}

const asking = (path: string, more = '') => `
  ${more}
  var answer = HttpRequest({url: "AT/${path}", timeoutMs: 20000, followRedirects: true})
  Data._payload = {status: answer.status, below: answer.json}`

type Answer = { readonly status: number; readonly below: Answer & { readonly error?: string } }

/** The statuses from the first run to the refusal, and its message. */
function statusesOf(answer: Answer): readonly [statuses: readonly number[], error: string | undefined] {
  const statuses: number[] = []
  let at: Answer & { readonly error?: string } = answer
  for (; at.status !== undefined; at = at.below) statuses.push(at.status)
  return [statuses, at.error]
}

const REFUSAL = /^Scripts call each other in a circle, or more than 4 deep: .*scriptCallDepth/

describe('a script that asks this service', () => {
  it('gets 508 when it calls itself, after four runs below the first, and the others go on', async () => {
    await publish('self', asking('self'))
    const response = await fetch(`${calls}/self`)
    const [statuses, error] = statusesOf((await response.json()) as Answer)
    assert.deepEqual(statuses, [200, 200, 200, 200, 508])
    assert.match(error ?? '', REFUSAL)
    assert.match(serving.output(), /"problem":"SRV144"/)
  })

  it('gets it in a ring of two endpoints, with waits between, and by redirects', async () => {
    await publish('ring-a', asking('ring-b', 'Sleep(5)'))
    await publish('ring-b', asking('hop', 'Sleep(5)'))
    await publish('hop', 'Data._statusCode = 307\nData._headers = {Location: "AT/ring-a"}')
    const [statuses, error] = statusesOf((await (await fetch(`${calls}/ring-a`)).json()) as Answer)
    assert.deepEqual(statuses, [200, 200, 200, 200, 508])
    assert.match(error ?? '', REFUSAL)
  })

  it('keeps no other endpoint from being answered, however many callers begin a ring', async () => {
    await publish('other', 'Data._payload = 1')
    let isOver = false
    const rings = Promise.all(
      Array.from(
        { length: 60 },
        async (_, n) => (await fetch(`${calls}/${n % 2 ? 'self' : 'ring-a'}`)).status,
      ),
    ).finally(() => {
      isOver = true
    })
    const statuses = new Set<number>()
    while (!isOver) statuses.add((await fetch(`${calls}/other`)).status)
    assert.deepEqual([...statuses], [200])
    // A caller whose turn does not come is told so.
    assert.deepEqual(new Set((await rings).filter((status) => status !== 200 && status !== 503)), new Set())
    assert.equal((await fetch(`${calls}/other`)).status, 200)
  })

  it('is as deep when it repeats its own run through the admin API', async () => {
    const authorization = `Bearer ${await issuerOf(folder.data)('admin')}`
    await fetch(`${serving.address}/api/admin/v1/secrets/operator`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ value: authorization }),
    })
    const admin = `${serving.address}/api/admin/v1/executions`
    const script = `
      if Data.request.query.of then SetState("of", Data.request.query.of) end
      var of = GetState("of").value
      if of then
        var answer = HttpRequest({
          method: "POST", url: "${admin}/" + of + "/rerun", body: {},
          secretHeaders: {"Authorization": "{operator}"}, timeoutMs: 20000
        })
        Data._payload = {status: answer.status}
      end`
    const id = await publish('again', script)
    /** So many, as soon as they are recorded. */
    const runs = async (
      count: number,
    ): Promise<readonly { readonly id: string; readonly type: string }[]> => {
      const response = await fetch(`${admin}?endpointId=${id}`, { headers: { authorization } })
      const { items } = (await response.json()) as { items: { id: string; type: string }[] }
      return items.length < count ? runs(count) : items
    }
    await fetch(`${calls}/again`)
    const [first] = await runs(1)
    assert.equal((await fetch(`${calls}/again?of=${first?.id}`)).status, 200)
    assert.deepEqual((await runs(6)).map(({ type }) => type).sort(), [
      'DynamicEndpoint',
      'DynamicEndpoint',
      ...Array(4).fill('Rerun'),
    ])
  })
})

describe('a caller from outside', () => {
  it('can make its own call deeper, and no other text is taken for a depth', async () => {
    const at = (depth: string) =>
      fetch(`${calls}/other`, { headers: { 'Tripfolio-Call-Depth': depth } }).then(({ status }) => status)
    assert.equal(await at('4'), 200)
    assert.equal(await at('5'), 508)
    assert.equal(await at('9999'), 508)
    for (const text of ['0', '-1', '01', '1, 1', '1e1', '99999', 'x', ''])
      assert.equal(await at(text), 400, text)
  })
})
