import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  BY,
  definition,
  type EndpointStore,
  makeStoreFile,
  openEndpointStore,
} from '../../directory/testing/endpoint-store.ts'
import { readEndpointFiles } from './endpoint-file.ts'
import { pullEndpoints } from './pull.ts'
import { pushFiles } from './push.ts'

let root: string
let store: EndpointStore
let ends: (() => unknown)[]
before(async () => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-pull-modules-'))
  const { path, remove } = makeStoreFile()
  store = await openEndpointStore(path)
  ends = [store.close, remove, () => rmSync(root, { recursive: true })]
})
after(async () => {
  for (const end of ends) await end()
})

const draft = (script: string) => ({ description: '', script })
const all = { names: [], published: false, dryRun: false, force: false }

describe('the modules of a pull', () => {
  it('are drafts, or with `published` the newest versions; one that is gone is what an endpoint keeps', async () => {
    const { endpoints, modules } = store
    const kept = await modules.create('fees', draft('func fee() return 1 end'), BY)
    await modules.publish('fees', BY)
    const gone = { name: 'gone', version: 1, script: 'import "fees"\r\nfunc g() return fee() end' }
    const script = 'import "gone"\nData._payload = g()'
    const { id } = await endpoints.create(definition({ name: 'Keeper', path: 'keeper', script }), BY)
    await endpoints.publish(id, BY, null, undefined, [gone, { ...kept, version: 1 }])
    await modules.saveDraft('fees', draft('func fee() return 2 end'), BY)
    await modules.create('never', draft('func n() end'), BY)

    const pulled = async (folder: string, options: Partial<typeof all>) => {
      const { faults } = await pullEndpoints(join(root, folder), store, { ...all, ...options })
      assert.deepEqual(faults, [])
      const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.module.jyro'))
      return Object.fromEntries(files.map((name) => [name, readFileSync(join(root, folder, name), 'utf8')]))
    }
    assert.deepEqual(await pulled('drafts', {}), {
      'fees.module.jyro': 'func fee() return 2 end',
      'gone.module.jyro': gone.script,
      'never.module.jyro': 'func n() end',
    })
    assert.deepEqual(await pulled('published', { published: true }), {
      'fees.module.jyro': 'func fee() return 1 end',
      'gone.module.jyro': gone.script,
    })
  })

  it('are the same modules for a push, whatever their line ends are', async () => {
    const { modules } = store
    await modules.create('windows', draft('func w()\r\nend'), BY)
    await modules.publish('windows', BY)
    const folder = join(root, 'windows')
    await pullEndpoints(folder, store, all)
    const options = { publish: false, note: null, dryRun: true, by: BY }
    const result = await pushFiles(await readEndpointFiles([folder]), store, options)
    assert.ok('modules' in result)
    const pushed = result.modules.find(({ name }) => name === 'windows')
    assert.deepEqual([pushed?.draft, pushed?.publishedVersion], ['unchanged', null])
  })
})
