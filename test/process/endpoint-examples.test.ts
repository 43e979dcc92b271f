import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hostFunctions } from '../../src/automation/host/host-functions.ts'
import { endpointCategories } from '../../src/schema/endpoint-shapes.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { publishDemo, publishExtract } from '../fixtures/published-extract.ts'
import { pasteLines } from './paste-lines.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'

const home = fileURLToPath(new URL('../../', import.meta.url))
const examples = join(home, 'examples/endpoints')
const files = readdirSync(examples)
const requests = files.filter((name) => name.endsWith('.request.json'))
const slugs = files.filter((name) => name.endsWith('.yaml')).map((name) => name.replace('.yaml', ''))

let root: string
/** What a first `npm start` makes. */
let demo: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-examples-'))
  demo = join(root, 'demo')
  await publishDemo({ data: demo }, { clients: 6, bookings: 5000 })
})
after(async () => {
  await rm(root, { recursive: true, force: true })
})

async function ended(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args)
  assert.equal(code, 0, stderr)
  return stdout
}

describe('the examples of endpoints', () => {
  it('are of each category, each with requests', async () => {
    const data = join(root, 'pushed')
    await mkdir(join(data, 'snapshots'), { recursive: true })
    await ended(['endpoint', 'push', examples, '--data', data])
    const listed = JSON.parse(await ended(['endpoint', 'list', '--data', data, '--json'])) as {
      draft: { category: string }
    }[]
    const categories = new Set(listed.map(({ draft }) => draft.category))
    assert.deepEqual([...categories].sort(), [...endpointCategories].sort())
    for (const slug of slugs) assert.ok(requests.includes(`${slug}.request.json`), slug)
  })

  it('are laid out and checked', async () => {
    const scripts = slugs.map((slug) => join(examples, `${slug}.jyro`))
    await ended(['script', 'check', '--endpoint', ...scripts])
    await ended(['script', 'format', '--check', ...scripts])
  })

  for (const request of requests) {
    const name = request.replace('.request.json', '')
    it(`answer as they say: ${name}`, async () => {
      const [slug] = name.split('.')
      const given = ['--request', join(examples, request), '--expect', join(examples, `${name}.expect.json`)]
      await ended(['endpoint', 'test', join(examples, `${slug}.yaml`), ...given, '--data', demo])
    })
  }
})

/** Lines that are to be pasted, in their order. */
const pasted = readFileSync(join(examples, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('    '))
  .map((line) => line.trim())

describe('the README of the examples', () => {
  it('has lines that work when they are pasted, and what is answered is what the records say', () =>
    whileServingHere(demo, async ({ address }) => {
      assert.ok(pasted.length > 10)
      const lines = [
        ...pasted
          .map((line) => line.replaceAll('http://127.0.0.1:8080', address))
          .flatMap((line) => [line, 'echo']),
        // The webhook once more.
        ...pasted
          .filter((line) => line.includes('X-Alert-Id'))
          .map((line) => line.replaceAll('http://127.0.0.1:8080', address)),
      ]
      const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
      const stdout = await pasteLines(lines, {
        env: { TRIPFOLIO_DATA: demo },
        path: PATH,
        started: 'secret*|endpoint?trial',
      })
      assert.match(stdout, /"status":"ok"/)
      assert.match(stdout, /^BEGIN:VCALENDAR\r?$[\s\S]*^END:VCALENDAR\r?$/m)
      assert.match(stdout, /^company,invoiceNumber,[\s\S]*INV104179/m)
      assert.match(
        stdout,
        /^\{"from":"2025-11-01","to":"2025-12-31","total":830069.95,"organizations":\[\],/m,
      )
      assert.match(stdout, /^\{"client":"C00004",.*"trips":19,/m)
      assert.match(stdout, /^081-2395346320,Mei Walker,VK3SXK,2025-03-27,2026-03-27,1624.49\r?$/m)
      assert.match(stdout, /^\{"on":"2026-01-05","travellers":11,/m)
      assert.match(stdout, /^\{"accepted":true,"marked":\[\]\}$/m)
      assert.match(stdout, /\{"duplicate":true\}\n?$/)
      const spend = JSON.parse(/^\{"client":.*$/m.exec(stdout)?.[0] ?? 'null')
      assert.equal(spend.total, await invoicedInDemo(address))
    }))
})

/** From November to December 2025, as version 2 of the API tells it. */
async function invoicedInDemo(address: string): Promise<number> {
  const account = ['--data', demo, '--client', 'C00001', '--name', 'sum', '--json']
  const { apiKey } = JSON.parse(await ended(['account', 'create', ...account])) as { apiKey: string }
  const filter = new URLSearchParams({
    filter: "invoiceDate ge '2025-11-01' and invoiceDate le '2025-12-31'",
  })
  const response = await fetch(`${address}/api/v2/invoices?${filter}`, { headers: { 'X-API-Key': apiKey } })
  const { invoices } = (await response.json()) as {
    invoices: { lineItems: { lineAmountIncGst: number | null }[] }[]
  }
  const lines = invoices.flatMap(({ lineItems }) => lineItems)
  return Math.round(lines.reduce((sum, { lineAmountIncGst }) => sum + (lineAmountIncGst ?? 0), 0) * 100) / 100
}

describe('the examples on a running service with a directory', () => {
  it('find organizations and persons, let travellers see their own trips only, and mark who is concerned', async () => {
    const data = join(root, 'fixture')
    await publishExtract({ data }, fixtureExtract)
    for (const name of ['travel-alerts', 'approvals']) {
      const { code, stderr } = await runCommand(['secret', 'set', name, '--data', data], {}, 'k'.repeat(32))
      assert.equal(code, 0, stderr)
    }
    await ended(['endpoint', 'push', examples, '--publish', '--data', data])
    const tokenOf = async (...args: string[]) =>
      (await ended(['token', 'issue', '--data', data, ...args])).trim()
    const desk = await tokenOf('--role', 'reports', '--role', 'admin', '--role', 'travel-desk')
    const ada = await tokenOf('--email', 'ada@example.com')
    await whileServingHere(data, async ({ address }) => {
      const call = async (token: string, method: string, path: string, body?: object) => {
        const response = await fetch(`${address}/api/${path}`, {
          method,
          headers: { 'If-Match': '*', Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        return { status: response.status, body: JSON.parse((await response.text()) || 'null') }
      }
      const made = async (path: string, body: object) => {
        const { status, body: answer } = await call(desk, 'POST', `admin/v1/${path}`, body)
        assert.equal(status, 201, JSON.stringify(answer))
        return answer as { id: string }
      }
      const organization = await made('organizations', { number: harbour, name: 'Harbour Engineering' })
      const person = (emailAddress: string) =>
        made('persons', { lastName: 'Byrne', emailAddress, organizationIds: [organization.id] })
      const traveller = await person('Ada@example.com')
      await person('bob@example.com')

      // Worked out by hand from the fixture.
      const byId = await call(
        desk,
        'GET',
        `dynamic/v1/reports/spend/${organization.id}?from=2026-01-01&to=2026-01-31`,
      )
      assert.deepEqual(byId.body, {
        client: { number: harbour, name: 'Harbour Engineering' },
        label: 'Cost Centre',
        from: '2026-01-01',
        to: '2026-01-31',
        total: 1528.78,
        groups: [
          { value: '4711', invoices: 2, total: 1265.81, months: [{ month: '2026-01', total: 1265.81 }] },
          { value: 'none', invoices: 1, total: 141.98, months: [{ month: '2026-01', total: 141.98 }] },
          { value: '12e2', invoices: 1, total: 121, months: [{ month: '2026-01', total: 121 }] },
        ],
      })
      assert.equal((await call(ada, 'GET', `dynamic/v1/reports/spend/${harbour}`)).status, 403)

      const group = await made('organizations', { number: null, name: 'Group' })
      const below = { number: limmat, name: 'Limmat', parentOrganizationId: group.id }
      const { id: limmatId } = await made('organizations', below)
      const tree = 'dynamic/v1/reports/spend-by-hierarchy?from=2026-01-01&to=2026-01-31'
      const { body: whole } = await call(desk, 'GET', tree)
      const shown = whole.organizations.map(({ name, own, total }: Record<string, unknown>) => [
        name,
        own,
        total,
      ])
      const ofLimmat = whole.organizations[0].children[0].own
      assert.deepEqual(shown, [
        ['Group', 0, ofLimmat],
        ['Harbour Engineering', 1528.78, 1528.78],
      ])
      const others = whole.withoutOrganization as { number: string; total: number }[]
      assert.ok(others.every(({ number }) => number !== harbour && number !== limmat))
      assert.equal(
        whole.total,
        Math.round((1528.78 + ofLimmat + others.reduce((sum, { total }) => sum + total, 0)) * 100) / 100,
      )
      const part = await call(desk, 'GET', `${tree}&root=${limmatId}`)
      assert.deepEqual([part.body.total, part.body.withoutOrganization], [ofLimmat, []])
      assert.equal((await call(desk, 'GET', `${tree}&root=${harbour}`)).status, 404)

      const own = await call(ada, 'GET', 'dynamic/v1/travellers/ADA@example.com/itinerary')
      assert.equal(own.status, 400, 'whose employee id is not known has no trips yet')
      const employeeId = await made('facet-definitions', {
        resourceType: 'Person',
        category: 'Employment',
        name: 'Employee ID',
        allowFreeText: true,
      })
      const facet = `admin/v1/persons/${traveller.id}/facets/${employeeId.id}`
      assert.ok((await call(desk, 'PUT', facet, { values: ["0'7"] })).status < 300)
      const known = await call(ada, 'GET', 'dynamic/v1/travellers/ADA@example.com/itinerary')
      assert.deepEqual(known.body, { traveller: { employeeId: "0'7", name: 'Byrne' }, trips: [] })
      const other = await call(ada, 'GET', 'dynamic/v1/travellers/bob@example.com/itinerary')
      assert.equal(other.status, 403)

      await made('facet-definitions', {
        resourceType: 'Organization',
        category: 'Risk',
        name: 'Travel alert',
        allowFreeText: true,
      })
      const unsigned = await call(desk, 'POST', 'dynamic/v1/webhooks/travel-alert', {})
      assert.equal(unsigned.status, 401)
      const body = JSON.stringify({ title: 'Storm', severity: 'low', clients: [harbour, 'C999'] })
      const { createHmac } = await import('node:crypto')
      const signature = createHmac('sha256', 'k'.repeat(32)).update(body).digest('hex')
      const alert = await fetch(`${address}/api/dynamic/v1/webhooks/travel-alert`, {
        method: 'POST',
        body,
        headers: {
          'Content-Type': 'application/json',
          'X-Alert-Id': 'a-1',
          'X-Hub-Signature-256': `sha256=${signature}`,
        },
      })
      assert.deepEqual([alert.status, await alert.json()], [202, { accepted: true, marked: [harbour] }])
      const marked = await call(desk, 'GET', `admin/v1/organizations/${organization.id}`)
      assert.deepEqual(
        marked.body.facetInstances.map(({ values }: { values: string[] }) => values),
        [['Storm']],
      )
    })
  })
})

describe('the guide to endpoints', () => {
  const guide = readFileSync(join(home, 'docs/how-to/endpoints.md'), 'utf8')

  it('uses no variable of the shell before it is set', () => {
    const isSet = new Set<string>()
    for (const [, indented, setName, usedName] of guide.matchAll(/^( {4})export (\w+)=|\$([A-Z]+)\b/gm)) {
      if (indented !== undefined) isSet.add(setName as string)
      else assert.ok(isSet.has(usedName as string), `$${usedName}`)
    }
    assert.ok(isSet.size > 0)
  })

  it('lists the functions that there are, with their parameters', () => {
    const expected = hostFunctions.map(({ name, parameters }) => {
      const shown = parameters.map(({ name, optional }) => (optional ? `${name}?` : name))
      return name === 'CreateOrganization'
        ? 'CreateOrganization(name, description?, parentId?)'
        : `${name}(${shown.join(', ')})`
    })
    const listed = [...guide.matchAll(/^\| `(\w+\([^`]*\))` \|/gm)].map((match) => match[1])
    assert.deepEqual(listed.sort(), expected.sort())
  })
})
