import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../test/campaign.ts'
import { isUsable } from './accounts/account.ts'
import { hashApiKey } from './accounts/api-key.ts'
import { hashPsk } from './accounts/psk.ts'
import type { ControlStore } from './control-store.ts'
import { openControlStore } from './testing/stores.ts'

const BY = 'operator:test'
let folder: string
let stores: readonly [ControlStore, ControlStore]
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-model-'))
  stores = [await openControlStore(folder), await openControlStore(folder)]
})
after(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true })
})

const opens = async (key: string, { accounts }: ControlStore): Promise<boolean> => {
  const holder = await accounts.lookup(hashApiKey(key))
  return holder !== undefined && isUsable(holder, new Date())
}

const pskOpens = async (psk: string, { accounts }: ControlStore): Promise<boolean> => {
  const holder = await accounts.lookupPsk(hashPsk(psk))
  return holder !== undefined && isUsable(holder, new Date())
}

const KINDS = [
  'create',
  'rotateOwn',
  'rotate',
  'lock',
  'unlock',
  'disable',
  'enable',
  'issuePsk',
  'removePsk',
] as const

type Step = {
  readonly kind: (typeof KINDS)[number]
  /** Which of the two stores makes the change. */
  readonly through: number
  /** Index of the key that it concerns, among those issued so far. */
  readonly key: number
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  through: fc.integer({ min: 0, max: 1 }),
  key: fc.nat({ max: 30 }),
})

/** The expected account, with every key and psk it ever had; the last key is the current one. */
type Model = {
  readonly id: string
  readonly keys: string[]
  readonly psks: string[]
  psk: string | null
  active: boolean
  locked: boolean
}

describe('two stores on one database', () => {
  it('agree with a plain model on every key and psk ever issued, after every change through either', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const models = [await createModel(stores[0])]
        for (const next of steps) {
          await apply(next, stores[next.through] ?? stores[0], models)
          for (const model of models) for (const store of stores) await compare(model, store)
        }
      }),
      { seed: campaignSeed, numRuns: repeated(10, 250) },
    )
  })

  it('refuse a psk in the very next lookup after the other has taken it away or replaced it', async () => {
    for (const [here, there] of [stores, [stores[1], stores[0]] as const]) {
      const { id } = await createModel(here)
      const first = await here.accounts.issuePsk(id, BY)
      for (const store of stores) assert.ok(await pskOpens(first.psk, store))
      const second = await there.accounts.issuePsk(id, BY)
      assert.deepEqual([await pskOpens(first.psk, here), await pskOpens(second.psk, here)], [false, true])
      await there.accounts.removePsk(id, BY)
      assert.equal(await pskOpens(second.psk, here), false)
    }
  })
})

async function compare({ keys, psks, psk, active, locked }: Model, store: ControlStore): Promise<void> {
  for (const [i, key] of keys.entries()) {
    assert.equal(await opens(key, store), i === keys.length - 1 && active && !locked)
  }
  for (const each of psks) assert.equal(await pskOpens(each, store), each === psk && active && !locked)
}

async function apply({ kind, key: nth }: Step, store: ControlStore, models: Model[]): Promise<void> {
  const { accounts } = store
  const issued = models.flatMap((model) => model.keys.map((key) => ({ model, key })))
  const { model, key } = issued[nth % issued.length] ?? assert.fail('no key was issued')
  switch (kind) {
    case 'create':
      models.push(await createModel(store))
      return
    case 'rotateOwn': {
      const usable = await opens(key, store)
      const rotated = await accounts.rotateOwnKey(hashApiKey(key))
      assert.equal(rotated !== null, usable)
      if (rotated !== null) model.keys.push(rotated.apiKey)
      return
    }
    case 'rotate':
      model.keys.push((await accounts.rotate(model.id, BY)).apiKey)
      return
    case 'issuePsk':
      model.psk = (await accounts.issuePsk(model.id, BY)).psk
      model.psks.push(model.psk)
      return
    case 'removePsk':
      model.psk = null
      await accounts.removePsk(model.id, BY)
      return
    case 'lock':
    case 'unlock':
      model.locked = kind === 'lock'
      await accounts.setLocked(model.id, model.locked, BY)
      return
    case 'disable':
    case 'enable':
      model.active = kind === 'enable'
      await accounts.setActive(model.id, model.active, BY)
  }
}

async function createModel({ accounts }: ControlStore): Promise<Model> {
  const { account, apiKey } = await accounts.create({ name: 'Model', clientNumber: 'C1' }, BY)
  return { id: account.id, keys: [apiKey], psks: [], psk: null, active: true, locked: false }
}
