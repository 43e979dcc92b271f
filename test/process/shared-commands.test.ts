/** The commands of an operator where the snapshots are in a folder that several machines mount. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { storedNames } from '../../src/schema/datasets.ts'
import { damage } from '../../src/snapshot/testing/data-folder.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { createAccount } from './accounts.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'

let folder: string
let env: Readonly<Record<string, string>>
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-shared-commands-'))
  env = { TRIPFOLIO_DATA: join(folder, 'data'), TRIPFOLIO_SNAPSHOTS: join(folder, 'mounted') }
  await writeExtract(join(folder, 'extract'), fixtureExtract, 'csv')
})
after(() => rm(folder, { recursive: true }))

const run = (...args: readonly string[]) => runCommand(args, env)
const parsed = async (...args: readonly string[]) => JSON.parse((await run(...args, '--json')).stdout)
const ingest = () => parsed('ingest', '--source', join(folder, 'extract'))

/** All objects. */
async function objects(): Promise<readonly string[]> {
  const entries = await readdir(join(folder, 'mounted'), { recursive: true, withFileTypes: true })
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
}

describe('with shared snapshots', () => {
  it('an ingest publishes there, and nothing in the data folder', async () => {
    const { snapshot, clients } = await ingest()
    assert.deepEqual([clients.total, clients.unchanged], [3, 0])
    assert.ok(!(await readdir(join(folder, 'data'))).includes('current'))
    assert.deepEqual(await readdir(join(folder, 'data', 'snapshots')), [])
    const [listed] = await parsed('snapshot', 'list')
    assert.deepEqual([listed.id, listed.current, listed.state, listed.clients], [snapshot, true, 'ok', 3])
    assert.equal((await ingest()).clients.unchanged, 3)
  })

  it('a rollback makes an older snapshot current, unless it is damaged', async () => {
    const [newest, older] = await parsed('snapshot', 'list')
    const done = await parsed('snapshot', 'rollback')
    const { held, ...rolledBack } = done
    assert.deepEqual(rolledBack, { snapshot: older.id, before: newest.id, damaged: [] })
    assert.match(held.reason, new RegExp(`^rolled back to snapshot ${older.id}`))
    assert.match((await run('snapshot', 'rollback')).stderr, /SNP321|No snapshot older than the current one/)
    assert.match(
      (await run('snapshot', 'rollback', '20260101T000000000Z-0000')).stderr,
      /There is no snapshot/,
    )
    await parsed('snapshot', 'rollback', newest.id)
    const manifests = (await objects()).filter((path) => path.includes(older.id))
    for (const path of manifests) await writeFile(path, 'truncated')
    const refused = await run('snapshot', 'rollback')
    assert.match(refused.stderr, /cannot become current/)
    assert.notEqual(refused.code, 0)
    assert.equal((await run('refresh', 'resume')).code, 0)
  })

  it('a verification reads every object, and names the damaged ones', async () => {
    await ingest()
    const retained = ['--retain-snapshots', '1']
    await run('ingest', '--source', join(folder, 'extract'), ...retained)
    const [intact, ...others] = await parsed('snapshot', 'verify')
    assert.deepEqual([intact.files, intact.damaged, others], [13, [], []])
    let detected = 0
    for (const path of await objects()) {
      await damage(path)
      const { stdout, code } = await run('snapshot', 'verify', '--json')
      if (code === 1) detected++
      if (code === 1) assert.match(JSON.parse(stdout)[0].damaged.join(), /its checksum does not match/)
      await damage(path)
    }
    // The files of three clients, and the manifest. The list of rejects is empty; others only wait for late readers.
    assert.equal(detected, 3 * storedNames.length + 1)
    assert.equal((await run('snapshot', 'verify')).code, 0)
  })

  it('a backup and a restore say where the snapshots are', async () => {
    const { stdout } = await run('backup', join(folder, 'backup'), '--snapshots', 'all')
    assert.match(stdout, /It does not hold the snapshots, which are in .*mounted/)
    assert.ok(!(await readdir(join(folder, 'backup'))).includes('snapshots'))
    const restored = await run('restore', join(folder, 'backup'), '--data', join(folder, 'restored'))
    assert.match(restored.stdout, /The snapshots are those in .*mounted.*another prefix/s)
  })

  it('an account for a client that the snapshot does not have is warned about', async () => {
    await rm(join(folder, 'mounted'), { recursive: true })
    await ingest()
    const { stderr } = await run('account', 'create', '--client', 'C10', '--name', 'Typo')
    assert.match(stderr, /C10/)
    assert.equal((await run('account', 'create', '--client', harbour, '--name', 'Right')).stderr, '')
  })

  it('a service refreshes into them and serves their rejects', async () => {
    const key = await createAccount(join(folder, 'data'), harbour, 'Export')
    await whileServingHere(
      join(folder, 'data'),
      async ({ address }) => {
        const before = (await parsed('snapshot', 'list'))[0].id
        const published = await parsed('refresh', '--data', join(folder, 'data'))
        assert.notEqual(published.snapshot, before)
        const headers = { 'X-API-Key': key }
        for (;;) {
          const answer = await fetch(`${address}/api/v2/bookings`, { headers })
          assert.equal(answer.status, 200)
          await answer.arrayBuffer()
          if (answer.headers.get('snapshot-id') === published.snapshot) break
        }
        const { stdout: token } = await run('token', 'issue', '--role', 'admin')
        const rejects = await fetch(`${address}/api/admin/v1/snapshots/${published.snapshot}/rejects`, {
          headers: { Authorization: `Bearer ${token.trim()}` },
        })
        assert.deepEqual([rejects.status, await rejects.json()], [200, { items: [], next: null }])
      },
      { env: { ...env, TRIPFOLIO_SOURCE: join(folder, 'extract') } },
    )
  })
})
