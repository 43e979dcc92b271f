/** The file of the control store with one bit flipped, wherever the rows and the indexes of accounts lie. */
import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { createAccountSeals } from '../accounts/account-seals.ts'
import { hashApiKey } from '../accounts/api-key.ts'
import { hashPsk } from '../accounts/psk.ts'
import type { ControlTables } from '../control-tables.ts'
import { controlStorePath, openControlStore } from '../open-stores.ts'
import { openDataVersion } from './data-version.ts'
import { openQueries } from './open-queries.ts'
import { rememberState } from './remembered-state.ts'

const BY = 'operator:test'
const KEY = Buffer.alloc(32, 1)
const PAGE_BYTES = 4096
/** The header of a row and the values in front of its client number. */
const BEFORE_CLIENT = 96

let folder: string
let path: string
const hashes: { readonly key_hash: string; readonly psk_hash: string; readonly client: string }[] = []

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-bits-'))
  path = controlStorePath(folder)
  const store = await openControlStore(folder, { secretKey: () => KEY })
  await store.accounts.adoptKey()
  for (const client of ['C00001', 'C00003', 'C00005']) {
    const { account, apiKey } = await store.accounts.create({ name: 'Export', clientNumber: client }, BY)
    const { psk } = await store.accounts.issuePsk(account.id, BY)
    hashes.push({ key_hash: hashApiKey(apiKey), psk_hash: hashPsk(psk), client })
  }
  // The third may not read: no bit may change that.
  const third = (await store.accounts.list()).find(({ clientNumber }) => clientNumber === 'C00005')
  await store.accounts.setLocked(third?.id ?? '', true, BY)
  await store.close()
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = delete')
  database.close()
})
after(() => rmSync(folder, { recursive: true }))

/** What each key and psk opens; `refused` also where SQLite finds the damage itself. */
async function opened(): Promise<{ readonly clients: readonly string[]; readonly bySeal: number }> {
  let bySeal = 0
  const { readHolder } = createAccountSeals(
    () => KEY,
    () => bySeal++,
  )
  const clients: string[] = []
  const database = new DatabaseSync(path)
  const { close, ...queries } = openQueries<ControlTables>(database, path)
  for (const { key_hash, psk_hash } of hashes) {
    for (const [column, hash] of Object.entries({ key_hash, psk_hash })) {
      try {
        const state = rememberState({ version: openDataVersion(database, 'call'), ...queries })
        const holder = await state.holderBy(column as 'key_hash', readHolder)(hash)
        clients.push(
          holder === undefined ? 'refused' : `${holder.clientNumber} ${holder.active} ${holder.locked}`,
        )
      } catch {
        clients.push('refused')
      }
    }
  }
  await close()
  return { clients, bySeal }
}

/** Places in the file, as bits. */
function placesToFlip(): readonly number[] {
  const bytes = readFileSync(path)
  const places = new Set<number>()
  const pages = new Set<number>()
  for (const { key_hash, psk_hash, client } of hashes) {
    for (const text of [key_hash, psk_hash]) {
      for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) {
        pages.add(Math.floor(at / PAGE_BYTES))
        // The client number stands in front of the hash of the key.
        const row = at - client.length
        if (text !== key_hash || bytes.toString('latin1', row, at) !== client) continue
        for (let bit = (row - BEFORE_CLIENT) * 8; bit < at * 8; bit += repeated(11, 1)) places.add(bit)
        for (let bit = row * 8; bit < at * 8; bit++) places.add(bit)
      }
    }
  }
  const inPages = [...pages].flatMap((page) => {
    const used = Array.from({ length: PAGE_BYTES }, (_, at) => page * PAGE_BYTES + at)
    return used
      .filter((at) => bytes[at] !== 0)
      .flatMap((at) => Array.from({ length: 8 }, (_, bit) => at * 8 + bit))
  })
  let seed = campaignSeed
  const random = () => {
    seed = (seed * 48271) % 0x7fffffff
    return seed
  }
  const some = Array.from({ length: 100 }, () => inPages[random() % inPages.length] as number)
  for (const bit of repeated(some, inPages)) places.add(bit)
  return [...places]
}

describe('a control store with one bit flipped', () => {
  it('lets no key or psk open what it did not open before', async () => {
    const { clients: before } = await opened()
    assert.deepEqual(before, [
      ...['C00001 true false', 'C00001 true false'],
      ...['C00003 true false', 'C00003 true false'],
      ...['C00005 true true', 'C00005 true true'],
    ])
    const content = readFileSync(path)
    const file = openSync(path, 'r+')
    let found = 0
    for (const place of placesToFlip()) {
      const at = place >> 3
      const byte = content[at] as number
      writeSync(file, Buffer.of(byte ^ (1 << (place & 7))), 0, 1, at)
      const { clients, bySeal } = await opened()
      for (const [index, client] of clients.entries()) {
        const isSame = client === before[index] || client === 'refused'
        assert.ok(
          isSame,
          `bit ${place & 7} of byte ${at} (seed ${campaignSeed}): ${before[index]} became ${client}`,
        )
      }
      if (bySeal > 0) found++
      writeSync(file, Buffer.of(byte), 0, 1, at)
    }
    closeSync(file)
    assert.ok(found > 100, `the seal found ${found}`)
    assert.deepEqual((await opened()).clients, before)
  })
})
