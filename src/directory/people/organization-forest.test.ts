import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { Problem } from '../../kernel/problem.ts'
import type { OrganizationDraft } from '../../schema/directory-shapes.ts'
import type { ControlStore } from '../control-store.ts'
import { BY, makeStores, organization, person, refusedWith } from '../testing/people-store.ts'

const files = makeStores()
let stores: readonly [ControlStore, ControlStore]
before(async () => {
  stores = [await files.open(), await files.open()]
})
after(() => files.remove())

type Step = {
  readonly kind: 'create' | 'move' | 'remove'
  /** Which of the two stores makes the change. */
  readonly through: number
  /** Indexes of the changed organization and of its new parent, among those created so far; undefined means no parent. */
  readonly subject: number
  readonly parent: number | undefined
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('create', 'move', 'move', 'move', 'remove'),
  through: fc.integer({ min: 0, max: 1 }),
  subject: fc.nat({ max: 11 }),
  parent: fc.option(fc.nat({ max: 11 }), { nil: undefined }),
})

/** Drafts by id, because an update replaces all members. */
type Model = Map<string, OrganizationDraft>

describe('the forest of organizations', () => {
  it('agrees with a plain model after any sequence of changes through two stores, and never has a circle', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const model: Model = new Map()
        for (const next of steps) await apply(next, stores[next.through] ?? stores[0], model)
        for (const { organizations } of stores) {
          const all = (await organizations.list()).filter(({ id }) => model.has(id))
          assert.deepEqual(
            new Map(all.map(({ id, parentOrganizationId }) => [id, parentOrganizationId])),
            new Map([...model].map(([id, { parentOrganizationId }]) => [id, parentOrganizationId])),
          )
        }
        for (const id of model.keys()) assert.ok(!above(model, id).includes(id))
        await removeAll(model)
      }),
      { seed: campaignSeed, numRuns: repeated(12, 300) },
    )
  })

  it('keeps one of two simultaneous moves through two stores that would together close a circle', async () => {
    for (let round = 0; round < 10; round++) {
      const drafts = [organization(), organization()] as const
      const ids = [await created(drafts[0]), await created(drafts[1])] as const
      const moves = await Promise.allSettled([
        stores[0].organizations.update(ids[0], { ...drafts[0], parentOrganizationId: ids[1] }, BY),
        stores[1].organizations.update(ids[1], { ...drafts[1], parentOrganizationId: ids[0] }, BY),
      ])
      const refused = moves.filter((move) => move.status === 'rejected')
      assert.equal(refused.length, 1)
      refusedWith('DIR412')(refused[0]?.reason)
    }
  })

  it('keeps one of two organizations that get the same name or number at once', async () => {
    for (const [same, code] of [
      [{ name: 'At once' }, 'DIR410'],
      [{ number: 'AT-ONCE' }, 'DIR411'],
    ] as const) {
      const attempts = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 === 0 ? stores[0] : stores[1]).organizations.create(organization(same), BY),
        ),
      )
      const refused = attempts.filter((attempt) => attempt.status === 'rejected')
      assert.equal(refused.length, 7)
      for (const { reason } of refused) refusedWith(code)(reason)
    }
  })

  it('never leaves a person without an organization when their new organization is removed at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await created(organization())
      const [removal, joining] = await Promise.allSettled([
        stores[0].organizations.remove(id, BY),
        stores[1].persons.create(person([id]), BY),
      ])
      const outcome = `${removal.status} ${joining.status}`
      assert.ok(['fulfilled rejected', 'rejected fulfilled'].includes(outcome), outcome)
      const reason =
        removal.status === 'rejected' ? removal.reason : (joining as PromiseRejectedResult).reason
      refusedWith(removal.status === 'rejected' ? 'DIR414' : 'DIR432')(reason)
    }
  })
})

const created = async (draft: OrganizationDraft): Promise<string> =>
  (await stores[0].organizations.create(draft, BY)).id

async function apply(
  { kind, subject, parent }: Step,
  { organizations }: ControlStore,
  model: Model,
): Promise<void> {
  const ids = [...model.keys()]
  const parentId = parent === undefined ? null : (ids[parent % ids.length] ?? null)
  const id = ids[subject % ids.length]
  const draft = id === undefined ? undefined : model.get(id)
  if (kind === 'create' || id === undefined || draft === undefined) {
    const first = organization({ parentOrganizationId: parentId })
    model.set((await organizations.create(first, BY)).id, first)
    return
  }
  if (kind === 'move') {
    const moved = { ...draft, parentOrganizationId: parentId }
    const closes = parentId !== null && [parentId, ...above(model, parentId)].includes(id)
    assert.equal(await codeOf(organizations.update(id, moved, BY)), closes ? 'DIR412' : undefined)
    if (!closes) model.set(id, moved)
    return
  }
  const hasChildren = [...model.values()].some(({ parentOrganizationId }) => parentOrganizationId === id)
  assert.equal(await codeOf(organizations.remove(id, BY)), hasChildren ? 'DIR413' : undefined)
  if (!hasChildren) model.delete(id)
}

async function codeOf(change: Promise<unknown>): Promise<string | undefined> {
  try {
    await change
    return undefined
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error.code
  }
}

/** Stops at a circle, which would be a defect. */
function above(model: Model, id: string): readonly string[] {
  const found: string[] = []
  for (let at = model.get(id)?.parentOrganizationId; at !== null && at !== undefined; ) {
    if (found.includes(at)) break
    found.push(at)
    at = model.get(at)?.parentOrganizationId
  }
  return found
}

async function removeAll(model: Model): Promise<void> {
  const deepestFirst = [...model.keys()].sort((a, b) => above(model, b).length - above(model, a).length)
  for (const id of deepestFirst) await stores[0].organizations.remove(id, BY)
}
