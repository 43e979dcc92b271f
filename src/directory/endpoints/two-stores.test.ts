import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { Problem } from '../../kernel/problem.ts'
import { parseEndpointPath, pathKey } from '../../schema/endpoint-path.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import {
  BY,
  definition,
  type EndpointStore,
  makeStoreFile,
  openEndpointStore,
} from '../testing/endpoint-store.ts'

const { path, remove } = makeStoreFile()
let stores: readonly [EndpointStore, EndpointStore]
before(async () => {
  stores = [await openEndpointStore(path), await openEndpointStore(path)]
})
after(async () => {
  for (const store of stores) await store.close()
  remove()
})

const KINDS = [
  'create',
  'save',
  'saveStale',
  'publish',
  'publish',
  'activate',
  'deactivate',
  'restore',
  'remove',
] as const

type Step = {
  readonly kind: (typeof KINDS)[number]
  /** Which of the two stores makes the change. */
  readonly through: number
  /** Selects the endpoint that it concerns, and the version. */
  readonly nth: number
  readonly version: number
  /** Few names and paths, so that they collide. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly script: string
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  through: fc.nat({ max: 1 }),
  nth: fc.nat({ max: 5 }),
  version: fc.integer({ min: 1, max: 3 }),
  name: fc.constantFrom('Spend', 'SPEND', 'Hook', 'hook', 'Other', 'Fourth'),
  method: fc.constantFrom('GET', 'POST'),
  path: fc.constantFrom('a', 'A', 'b/{x}', 'B/{y}', 'c'),
  script: fc.constantFrom('1', '2'),
})

/** The expected endpoint. */
type Model = {
  readonly id: string
  draft: EndpointDefinition
  revision: number
  active: boolean
  readonly versions: EndpointDefinition[]
}

const drafted = ({ name, method, path, script }: Step): EndpointDefinition =>
  definition({ name, method, path, script })

const routeOf = ({ method, path }: EndpointDefinition): string => {
  const parsed = parseEndpointPath(String(path))
  return `${method} ${'segments' in parsed ? pathKey(parsed.segments) : assert.fail(String(path))}`
}
const routesOf = ({ draft, versions }: Model): readonly string[] =>
  [draft, ...versions.slice(-1)].map(routeOf)

/** The code with which another endpoint makes a draft refused. */
const conflict = (models: readonly Model[], id: string | undefined, draft: EndpointDefinition) => {
  const others = models.filter((model) => model.id !== id)
  const sameName = (other: Model) => other.draft.name.toLowerCase() === draft.name.toLowerCase()
  if (others.some(sameName)) return 'DIR313'
  return others.some((other) => routesOf(other).includes(routeOf(draft))) ? 'DIR310' : undefined
}

const isSame = (one: EndpointDefinition | undefined, other: EndpointDefinition): boolean =>
  one !== undefined &&
  (['name', 'method', 'path', 'script'] as const).every((member) => one[member] === other[member])

/** Undefined, or the code of the problem that refused the operation. */
const outcome = async (operation: Promise<unknown>): Promise<string | undefined> => {
  try {
    await operation
    return undefined
  } catch (error) {
    // Only a refusal is an outcome; a fault of the database is told with its cause.
    if (error instanceof Problem && error.code.startsWith('DIR')) return error.code
    throw error
  }
}

describe('endpoints in two stores on one file', () => {
  it('match a plain model after every change through either store, and so do the published endpoints', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        await removeAll(stores[0])
        const models: Model[] = []
        for (const next of steps) {
          await apply(next, stores[next.through] ?? stores[0], models)
          for (const store of stores) await compare(models, store)
        }
      }),
      { seed: campaignSeed, numRuns: repeated(16, 400) },
    )
  })

  it('are consistent and share no name or route after any simultaneous changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 30 }), async (steps) => {
        await removeAll(stores[0])
        const ids: string[] = []
        for (const name of ['Spend', 'Hook', 'Third']) {
          ids.push((await stores[0].endpoints.create(definition({ name }), BY)).id)
        }
        await Promise.all(steps.map((next) => outcome(attempt(next, stores[next.through] ?? stores[0], ids))))
        await assertWhole(stores[0])
        assert.deepEqual(await stores[1].endpoints.list(), await stores[0].endpoints.list())
        assert.deepEqual(await stores[1].endpoints.current(), await stores[0].endpoints.current())
      }),
      { seed: campaignSeed, numRuns: repeated(16, 400) },
    )
  })

  it('are published once when many calls publish the same draft at once', async () => {
    const { id } = await stores[0].endpoints.create(definition(), BY)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => outcome((stores[i % 2] ?? stores[0]).endpoints.publish(id, BY))),
    )
    assert.deepEqual(outcomes.sort(), [...Array(19).fill('DIR312'), undefined])
    assert.equal((await stores[1].endpoints.versions(id)).length, 1)
    assert.equal((await stores[1].history(id)).length, 2)
  })

  it('give a route to one of many endpoints that want it at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        outcome((stores[i % 2] ?? stores[0]).endpoints.create(definition({ path: 'wanted' }), BY)),
      ),
    )
    assert.deepEqual(outcomes.sort(), [...Array(19).fill('DIR310'), undefined])
  })

  it('lose no change of a draft that many calls save at once with its revision', async () => {
    const { id, draft } = await stores[0].endpoints.create(definition(), BY)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        outcome((stores[i % 2] ?? stores[0]).endpoints.saveDraft(id, { ...draft, script: `${i}` }, BY, 1)),
      ),
    )
    assert.deepEqual(outcomes.sort(), [...Array(19).fill('DIR311'), undefined])
  })
})

async function removeAll({ endpoints }: EndpointStore): Promise<void> {
  for (const { id } of await endpoints.list()) await endpoints.remove(id, BY)
}

async function compare(models: readonly Model[], { endpoints }: EndpointStore): Promise<void> {
  const found = await endpoints.list()
  assert.equal(found.length, models.length)
  for (const model of models) {
    const endpoint = found.find(({ id }) => id === model.id) ?? assert.fail('an endpoint is gone')
    assert.deepEqual(
      { ...endpoint, published: endpoint.published?.version ?? null, draftChangedAt: '', createdAt: '' },
      {
        id: model.id,
        draft: model.draft,
        draftRevision: model.revision,
        draftChangedAt: '',
        draftChangedBy: BY,
        hasUnpublishedChanges: !isSame(model.versions.at(-1), model.draft),
        active: model.active,
        published: model.versions.length || null,
        createdAt: '',
      },
    )
    const versions = await endpoints.versions(model.id)
    assert.deepEqual(versions.map(({ definition }) => definition).reverse(), model.versions)
  }
  const reached = new Map((await endpoints.current()).map((endpoint) => [endpoint.id, endpoint]))
  const active = models.filter((model) => model.active)
  assert.deepEqual([...reached.keys()].sort(), active.map(({ id }) => id).sort())
  for (const { id, versions } of active) {
    const { script, description, schedules, ...rest } =
      versions.at(-1) ?? assert.fail('active without a version')
    assert.deepEqual(reached.get(id), { ...rest, id, version: versions.length })
  }
}

async function apply(next: Step, store: EndpointStore, models: Model[]): Promise<void> {
  const { endpoints } = store
  const draft = drafted(next)
  if (next.kind === 'create') {
    const refusal = conflict(models, undefined, draft)
    const made = endpoints.create(draft, BY)
    assert.equal(await outcome(made), refusal)
    if (refusal === undefined) {
      models.push({ id: (await made).id, draft, revision: 1, active: false, versions: [] })
    }
    return
  }
  const model = models[next.nth % models.length]
  if (model === undefined) return
  const refusal = expected(next, model, models)
  assert.equal(await outcome(attempt(next, store, [model.id], draft, model.revision)), refusal)
  if (refusal === undefined) change(next, model, models, draft)
}

function expected(next: Step, model: Model, models: readonly Model[]): string | undefined {
  const published = model.versions.at(-1)
  switch (next.kind) {
    case 'saveStale':
      return 'DIR311'
    case 'save': {
      const draft = drafted(next)
      return isSame(model.draft, draft) ? undefined : conflict(models, model.id, draft)
    }
    case 'publish':
      return isSame(published, model.draft) ? 'DIR312' : undefined
    case 'activate':
      return published === undefined ? 'DIR315' : undefined
    case 'restore': {
      const version = model.versions[next.version - 1]
      if (version === undefined) return 'DIR302'
      return isSame(model.draft, version) ? undefined : conflict(models, model.id, version)
    }
    default:
      return undefined
  }
}

function change(next: Step, model: Model, models: Model[], draft: EndpointDefinition): void {
  switch (next.kind) {
    case 'save':
      replace(model, draft)
      return
    case 'restore':
      replace(model, model.versions[next.version - 1] ?? model.draft)
      return
    case 'publish':
      model.active ||= model.versions.length === 0
      model.versions.push(model.draft)
      return
    case 'activate':
    case 'deactivate':
      model.active = next.kind === 'activate'
      return
    case 'remove':
      models.splice(models.indexOf(model), 1)
  }
}

function replace(model: Model, draft: EndpointDefinition): void {
  if (isSame(model.draft, draft)) return
  model.draft = draft
  model.revision++
}

function attempt(
  next: Step,
  { endpoints }: EndpointStore,
  ids: readonly string[],
  draft = drafted(next),
  revision?: number,
): Promise<unknown> {
  const id = ids[next.nth % ids.length] ?? assert.fail('no endpoint')
  switch (next.kind) {
    case 'create':
      return endpoints.create(draft, BY)
    case 'save':
      return endpoints.saveDraft(id, draft, BY, revision)
    case 'saveStale':
      return endpoints.saveDraft(id, draft, BY, 1000)
    case 'publish':
      return endpoints.publish(id, BY)
    case 'activate':
    case 'deactivate':
      return endpoints.setActive(id, next.kind === 'activate', BY)
    case 'restore':
      return endpoints.restore(id, next.version, BY)
    case 'remove':
      return endpoints.remove(id, BY)
  }
}

/** Checks that each route and name has one endpoint, that versions count from 1, and that the trail has every change. */
async function assertWhole({ endpoints, history }: EndpointStore): Promise<void> {
  const holders = new Map<string, string>()
  for (const { id, draft, draftRevision, published, active } of await endpoints.list()) {
    const versions = await endpoints.versions(id)
    assert.deepEqual(
      versions.map(({ version }) => version),
      versions.map((_, i) => versions.length - i),
    )
    assert.equal(published?.version, versions[0]?.version)
    const current = (await endpoints.current()).find((endpoint) => endpoint.id === id)
    assert.equal(current?.version, active ? published?.version : undefined)
    const definitions = [draft, ...versions.slice(0, 1).map(({ definition }) => definition)]
    for (const held of [draft.name.toLowerCase(), ...definitions.map(routeOf)]) {
      assert.equal(holders.get(held) ?? id, id, held)
      holders.set(held, id)
    }
    const actions = (await history(id)).map(({ action }) => action)
    const count = (...counted: readonly string[]) => actions.filter((each) => counted.includes(each)).length
    assert.equal(count('endpoint.publish'), versions.length)
    assert.equal(count('endpoint.create', 'endpoint.draft', 'endpoint.restore'), draftRevision)
  }
}
