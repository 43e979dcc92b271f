import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { readCurrentId } from '../format/layout.ts'
import { DataFolder, damage, locatorOf } from '../testing/data-folder.ts'
import { recordDisk } from '../testing/recorded-disk.ts'
import { rollBack } from './roll-back.ts'

let data: DataFolder

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await DataFolder.make()
  })
  afterEach(() => data.remove())
}

const publish = async (...locators: readonly string[]): Promise<readonly string[]> => {
  const ids: string[] = []
  for (const locator of locators) ids.push((await data.publish({ A: locator })).id)
  return ids
}

describe('a rollback', () => {
  prepareEachTest()

  it('makes the newest older snapshot current, which readers see with their next look', async () => {
    const [first, second] = await publish('OLD', 'NEW')
    const catalogue = await data.open()
    assert.equal(await locatorOf(catalogue, 'A'), 'NEW')
    const done = await rollBack(data.path, undefined)
    assert.deepEqual(done, { snapshot: first, before: second, damaged: [] })
    await catalogue.refresh()
    assert.equal(await locatorOf(catalogue, 'A'), 'OLD')
    assert.equal(await locatorOf(await data.open(), 'A'), 'OLD')
  })

  it('makes the named snapshot current, also a newer one', async () => {
    const [first, , third] = await publish('ONE', 'TWO', 'THREE')
    await rollBack(data.path, first)
    assert.equal(await readCurrentId(data.path), first)
    await rollBack(data.path, third)
    assert.equal(await readCurrentId(data.path), third)
  })

  it('lets the next refresh publish as always', async () => {
    await publish('OLD', 'NEW')
    const catalogue = await data.open()
    await rollBack(data.path, undefined)
    await catalogue.refresh()
    const [next] = await publish('NEXT')
    await catalogue.refresh()
    assert.equal(catalogue.current()?.id, next)
    assert.equal(await locatorOf(catalogue, 'A'), 'NEXT')
  })

  it('changes nothing when the snapshot is current already', async () => {
    const [only] = await publish('ONE')
    const disk = recordDisk(data.path)
    assert.deepEqual(await rollBack(data.path, only, disk), { snapshot: only, before: only, damaged: [] })
    assert.deepEqual(disk.steps, [])
  })

  it('passes over damaged snapshots, and refuses one that is named', async () => {
    const [first, second] = await publish('ONE', 'TWO', 'THREE')
    await damage(await data.bookingsFile(second as string, 'A'))
    await assert.rejects(rollBack(data.path, second), { code: 'SNP322' })
    const { snapshot, damaged } = await rollBack(data.path, undefined)
    assert.deepEqual([snapshot, damaged], [first, [second]])
  })

  it('refuses when every older snapshot is damaged, and leaves the current one', async () => {
    const [first, second] = await publish('ONE', 'TWO')
    await damage(await data.bookingsFile(first as string, 'A'))
    await assert.rejects(rollBack(data.path, undefined), { code: 'SNP322' })
    assert.equal(await readCurrentId(data.path), second)
  })

  it('refuses an unknown id, a folder without an older snapshot, and a folder that does not exist', async () => {
    await assert.rejects(rollBack(data.path, undefined), { code: 'SNP321' })
    const [only] = await publish('ONE')
    await assert.rejects(rollBack(data.path, undefined), { code: 'SNP321' })
    await assert.rejects(rollBack(data.path, '20200101T000000000Z-0000'), (error) => {
      assert.match(String((error as { hint?: string }).hint), new RegExp(only as string))
      return (error as { code: string }).code === 'SNP320'
    })
    await assert.rejects(rollBack(`${data.path}-missing`, undefined), { code: 'SNP303' })
  })

  it('leaves the old or the new snapshot current, whenever its process is killed', async () => {
    const [first, second] = await publish('OLD', 'NEW')
    const whole = recordDisk(data.path)
    await rollBack(data.path, first, whole)
    for (let power = 0; power < whole.steps.length; power++) {
      await rollBack(data.path, second)
      await assert.rejects(rollBack(data.path, first, recordDisk(data.path, power)), /killed/)
      assert.ok([first, second].includes(await readCurrentId(data.path)))
      assert.notEqual((await data.open()).current(), null)
    }
  })
})
