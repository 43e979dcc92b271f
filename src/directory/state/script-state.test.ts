import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { definition } from '../testing/endpoint-store.ts'
import { BY, refusedWith } from '../testing/people-store.ts'
import { openStorePair, type StorePair } from '../testing/store-pair.ts'
import { askControlStore } from '../testing/stores.ts'
import { unknownState } from './problems.ts'
import { MOST_KEYS } from './script-state.ts'

let pair: StorePair
before(async () => {
  pair = await openStorePair()
})
after(() => pair.close())

const owner = () => crypto.randomUUID()

describe('the state of scripts', () => {
  it('keeps values by owner and key, each with a version that never comes again', async () => {
    const { scriptState } = pair.here
    const [one, other] = [owner(), owner()]
    assert.equal(await scriptState.get(one, 'a'), null)
    const first = await scriptState.set(one, 'a', '{"x":1}')
    assert.deepEqual(await pair.elsewhere.scriptState.get(one, 'a'), { value: '{"x":1}', version: first })
    assert.equal(await scriptState.get(other, 'a'), null)
    assert.equal(await scriptState.remove(one, 'a'), true)
    assert.equal(await scriptState.remove(one, 'a'), false)
    const second = await scriptState.set(one, 'a', '2')
    assert.ok(first !== null && second !== null && second > first)
  })

  it('changes a value only if it has the expected version; 0 expects none', async () => {
    const { scriptState } = pair.here
    const one = owner()
    const first = await scriptState.set(one, 'a', '1', 0)
    assert.ok(first !== null)
    assert.equal(await scriptState.set(one, 'a', '2', 0), null)
    const second = await pair.elsewhere.scriptState.set(one, 'a', '3', first)
    assert.ok(second !== null)
    assert.equal(await scriptState.set(one, 'a', '4', first), null)
    assert.equal(await scriptState.remove(one, 'a', first), false)
    assert.deepEqual(await scriptState.get(one, 'a'), { value: '3', version: second })
    assert.equal(await scriptState.remove(one, 'a', second), true)
  })

  it('adds up exactly, however many runs of two nodes add at the same time', async () => {
    const additions = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(additions, async (numbers) => {
        const one = owner()
        const sums = await Promise.all(
          numbers.map((by, i) => [pair.here, pair.elsewhere][i % 2]!.scriptState.increment(one, 'n', by)),
        )
        const sum = numbers.reduce((total, by) => total + by, 0)
        assert.equal((await pair.here.scriptState.get(one, 'n'))?.value, JSON.stringify(sum))
        assert.ok(sums.includes(sum))
      }),
      { numRuns: 15 },
    )
  })

  it('loses no change of two nodes that read, compute and set again when the version has changed', async () => {
    const one = owner()
    const addOne = async ({ scriptState }: StorePair['here']) => {
      for (;;) {
        const entry = await scriptState.get(one, 'n')
        const next = JSON.stringify(Number(entry?.value ?? 0) + 1)
        if ((await scriptState.set(one, 'n', next, entry?.version ?? 0)) !== null) return
      }
    }
    await Promise.all(Array.from({ length: 12 }, (_, i) => addOne(i % 2 === 0 ? pair.here : pair.elsewhere)))
    assert.equal((await pair.here.scriptState.get(one, 'n'))?.value, '12')
  })

  it('refuses keys, values and states that are too long, and adding to what is no number', async () => {
    const { scriptState } = pair.here
    const one = owner()
    await assert.rejects(scriptState.set(one, '', '1'), refusedWith('DIR480'))
    await assert.rejects(scriptState.set(one, 'k'.repeat(201), '1'), refusedWith('DIR480'))
    await assert.rejects(scriptState.set(one, 'k', `"${'x'.repeat(65_536)}"`), refusedWith('DIR481'))
    await scriptState.set(one, 'text', '"1"')
    await assert.rejects(scriptState.increment(one, 'text', 1), refusedWith('DIR483'))
    await scriptState.set(one, 'large', '1e308')
    await assert.rejects(scriptState.increment(one, 'large', 1e308), refusedWith('DIR483'))
    const full = `"${'x'.repeat(65_000)}"`
    for (let i = 0; i < 16; i++) await scriptState.set(one, `k${i}`, full)
    await assert.rejects(scriptState.set(one, 'k16', full), refusedWith('DIR482'))
    assert.equal(await scriptState.get(one, 'k16'), null)
  })

  it('has a thousand keys at most, lists them, and is cleared at once', async () => {
    const { scriptState } = pair.here
    const one = owner()
    await askControlStore(
      pair.folder,
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${MOST_KEYS - 1})
       insert into script_state (owner_id, key, value, bytes, version, updated_at)
       select '${one}', 'k' || (9000 + i), '1', 6, 1, '' from n returning 1`,
    )
    await assert.rejects(scriptState.set(one, 'more', '1'), refusedWith('DIR482'))
    await scriptState.set(one, 'k9000', '2')
    const listed = (await scriptState.list(one)).toSorted((a, b) => (a.key < b.key ? -1 : 1))
    assert.deepEqual(
      [listed[0], listed[1]].map((found) => [found?.key, found?.value, found?.bytes]),
      [
        ['k9000', '2', 6],
        ['k9001', '1', 6],
      ],
    )
    assert.equal(listed.length, 1000)
    assert.equal(await scriptState.clear(one), 1000)
    assert.equal(await scriptState.clear(one), 0)
  })

  it('has a problem for a key that it does not have', () => {
    assert.equal(unknownState('gone').code, 'DIR484')
  })

  it('goes with its endpoint', async () => {
    const { endpoints, scriptState } = pair.here
    const { id } = await endpoints.create(definition({ name: 'Short-lived', path: 'short-lived' }), BY)
    await scriptState.set(id, 'a', '1')
    await endpoints.remove(id, BY)
    assert.equal(await scriptState.get(id, 'a'), null)
  })
})
