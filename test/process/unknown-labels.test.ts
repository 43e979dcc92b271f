/** The setting `unknownLabels` decides what a label does that the client does not have. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { type ServingHere, whileServingHere } from './service-in-process.ts'

let folder: string
let data: string
let apiKey: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-unknown-labels-'))
  data = join(folder, 'data')
  await publishExtract({ data }, fixtureExtract)
  apiKey = await createAccount(data, harbour, 'labels')
})
after(() => rm(folder, { recursive: true, force: true }))

async function ask({ address }: ServingHere, filter: string) {
  const url = `${address}/api/v2/bookings?${new URLSearchParams({ $filter: filter, $pageSize: '1' })}`
  const response = await fetch(url, { headers: { 'X-API-Key': apiKey } })
  return [response.status, ((await response.json()) as { _meta?: { total: number } })._meta?.total]
}

describe('a label that the client does not have', () => {
  it('is refused by default', () =>
    whileServingHere(data, async (serving) => {
      assert.deepEqual(await ask(serving, 'customDataFields.Unheard eq null'), [400, undefined])
    }))

  it('is null in every record where the settings file says null', async () => {
    await writeFile(join(data, 'tripfolio.json'), '{"unknownLabels": null}')
    await whileServingHere(data, async (serving) => {
      assert.deepEqual(await ask(serving, 'customDataFields.Unheard eq null'), [200, 8])
      assert.deepEqual(await ask(serving, "customDataFields.Unheard eq 'x'"), [200, 0])
    })
  })
})
