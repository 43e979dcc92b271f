/**
 * Clients and labels whose texts a decoder may change, over HTTP: every client is served its own records in every format and both
 * versions, finds them by each label, and follows its changes.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  extractOfHostileClients,
  hostileClientNumbers,
  hostileLabels,
  labelledValue,
  markOf,
} from '../fixtures/hostile-clients.ts'
import { type Service, startService } from './start-service.ts'

type Answer = {
  readonly clientNumber: string
  readonly count: number
  readonly bookings: readonly {
    readonly recordLocator: string
    readonly originatingAgency: string
    readonly customDataFields: Readonly<Record<string, string>>
  }[]
  readonly groups: readonly Readonly<Record<string, unknown>>[]
  readonly _meta: { readonly token: string }
}

let service: Service
const keys = new Map<string, string>()
before(async () => {
  service = await startService({ extract: extractOfHostileClients() })
  for (const client of hostileClientNumbers) keys.set(client, await service.keyOf(client))
})
after(() => service.close())

const shown = (text: string): string => JSON.stringify(text).replaceAll('\ufeff', '\\ufeff')

async function ask(client: string, path: string, parameters: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams(parameters)
  const response = await service.request(`/api/v2/${path}?${query}`, keys.get(client) as string)
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, `${path} of ${shown(client)}: ${bytes}`)
  return { response, bytes, text: bytes.toString('utf8') }
}

const parsed = async (...asked: Parameters<typeof ask>): Promise<Answer> =>
  JSON.parse((await ask(...asked)).text)

/** Nothing of another client, and something of its own. */
function assertOwn(client: string, text: string, what: string): void {
  for (const other of hostileClientNumbers) {
    assert.equal(text.includes(markOf(other)), other === client, `${what} of ${shown(client)}`)
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

describe('a client whose number a decoder may change', () => {
  for (const client of hostileClientNumbers) {
    it(`is served its own records in every form: ${shown(client)}`, async () => {
      const answer = await parsed(client, 'bookings')
      assert.equal(answer.clientNumber, client)
      assert.deepEqual(
        answer.bookings.map(({ recordLocator, originatingAgency, customDataFields }) => [
          recordLocator,
          originatingAgency,
          customDataFields,
        ]),
        [
          [
            '\ufeffLOC',
            `\ufeffagency ${markOf(client)}`,
            Object.fromEntries(hostileLabels.map((label) => [label, labelledValue(client, label)])),
          ],
        ],
      )
      for (const list of ['bookings', 'invoices', 'itineraries']) {
        for (const format of ['json', 'ndjson', 'csv', 'arrow']) {
          assertOwn(client, (await ask(client, list, { format })).text, `${list} as ${format}`)
        }
      }
    })
  }

  it('is served its own records by version 1', async () => {
    for (const client of hostileClientNumbers) {
      const { psk } = await service.pskOf(client)
      for (const list of ['bookings', 'invoices', 'itineraries']) {
        const address = `http://127.0.0.1:${service.port}/api/v1/${list}?page=1&fetch=10`
        const response = await fetch(address, { headers: { psk } })
        const text = await response.text()
        assert.equal(response.status, 200, text)
        assertOwn(client, text, `${list} of version 1`)
      }
    }
  })

  it('is never told that the answer to another client is its own', async () => {
    const tags = new Map<string, string>()
    for (const client of hostileClientNumbers) {
      tags.set(client, (await ask(client, 'bookings')).response.headers.get('etag') as string)
    }
    assert.equal(new Set(tags.values()).size, hostileClientNumbers.length)
  })
})

describe('a label that a decoder may change', () => {
  const client = '\ufeffA1'

  for (const label of hostileLabels) {
    it(`is compared, selected and grouped by: ${shown(label)}`, async () => {
      const name = `customDataFields[${literal(label)}]`
      const value = labelledValue(client, label)
      const found = await parsed(client, 'bookings', { filter: `${name} eq ${literal(value)}` })
      assert.equal(found.count, 1)
      const none = await parsed(client, 'bookings', { filter: `${name} ne ${literal(value)}` })
      assert.equal(none.count, 0)
      const { bookings } = await parsed(client, 'bookings', { select: name, orderby: `${name} desc` })
      assert.deepEqual(bookings, [{ customDataFields: { [label]: value } }].map(ownMembers))
      const apply = `groupby((${name}), aggregate($count as n))`
      const { groups } = await parsed(client, 'bookings', { apply })
      assert.deepEqual(groups.map(Object.values), [[value, 1]])
      for (const format of ['csv', 'ndjson', 'arrow']) {
        assert.ok((await ask(client, 'bookings', { apply, format })).text.includes(value), format)
      }
    })
  }

  it('stands in every format as it is in the extract', async () => {
    const csv = (await ask(client, 'bookings', { format: 'csv' })).text
    const arrow = (await ask(client, 'bookings', { format: 'arrow' })).bytes
    for (const label of hostileLabels) {
      assert.ok(csv.includes(`customDataFields.${label.replaceAll('"', '""')}`), shown(label))
      // A flatbuffer writes a text as its length in bytes, and the bytes.
      const text = Buffer.from(label)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(text.byteLength)
      assert.ok(arrow.includes(Buffer.concat([length, text])), shown(label))
    }
  })
})

describe('a label whose text only begins like a number', () => {
  /** The value of the label is `1 of <1>`. */
  const client = '\ufeffA1'
  const rows: readonly (readonly [comparison: string, count: number])[] = [
    ['gt 1', 1],
    ['gt 1.0', 0],
    ['lt 1.0', 1],
    ['gt 01', 1],
    ['lt 01', 0],
    ['lt 1E0', 1],
    [`lt ${'1'.padEnd(401, '0')}`, 1],
    [`gt ${'1'.padEnd(401, '0')}`, 0],
    ['lt 1e400', 1],
    ['eq 1', 0],
    ['in (1, 1.0)', 0],
  ]
  for (const [comparison, count] of rows) {
    it(`is compared with the digits as they are written: ${comparison.slice(0, 20)}`, async () => {
      const filter = `customDataFields['\ufeffTeam'] ${comparison}`
      assert.equal((await parsed(client, 'bookings', { filter })).count, count)
    })
  }
})

describe('the changes of a client whose number a decoder may change', () => {
  it('are followed with its own token, which is none of another client', async () => {
    const tokens = new Map<string, string>()
    for (const client of hostileClientNumbers) {
      tokens.set(client, (await parsed(client, 'bookings/changes'))._meta.token)
    }
    await service.publish(extractOfHostileClients('another agency'))
    for (const client of hostileClientNumbers) {
      const since = tokens.get(client) as string
      const { bookings } = await parsed(client, 'bookings/changes', { since })
      assert.deepEqual(
        bookings.map(({ originatingAgency }) => originatingAgency),
        [`\ufeffanother agency ${markOf(client)}`],
      )
    }
    const foreign = await service.request(
      `/api/v2/bookings/changes?since=${tokens.get('A1')}`,
      keys.get('\ufeffA1') as string,
    )
    assert.equal(foreign.status, 410)
  })
})

/** As JSON makes them: `__proto__` is a member like any other. */
const ownMembers = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
