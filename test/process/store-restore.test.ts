/** A store in PostgreSQL is backed up and restored as PostgreSQL is, here by its files; the installation is that of the backup. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { hashApiKey } from '../../src/directory/accounts/api-key.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { ask, startServer } from '../../src/postgres/testing/postgres-server.ts'
import { makeFolders } from './ingest-fixture.ts'

const run = promisify(execFile)
const BY = 'operator'

describe('a restored backup of the PostgreSQL server', () => {
  it('has the accounts, keys and secrets of its moment, and none of later', async (t) => {
    const { data } = await makeFolders(t)
    const server = await startServer()
    t.after(server.stop)
    await ask(server.url, 'create database tripfolio')
    const url = new URL(server.url)
    url.pathname = '/tripfolio'
    const secretKey = randomBytes(32)
    const open = () => openControlStore({ data, store: url.href }, { secretKey: () => secretKey })

    const before = await open()
    const { apiKey: kept } = await before.accounts.create({ clientNumber: 'C1', name: 'Kept' }, BY)
    await before.secrets.set('Payment', { value: 'canary' }, BY)
    await before.close()

    const [files, backup] = [join(server.folder, 'data'), join(server.folder, 'backup')]
    await server.kill()
    await run('cp', ['-a', files, backup])
    await server.start()

    const later = await open()
    const { apiKey: lost } = await later.accounts.create({ clientNumber: 'C1', name: 'Later' }, BY)
    assert.ok(await later.accounts.lookup(hashApiKey(lost)))
    await later.close()

    await server.kill()
    await rm(files, { recursive: true })
    await run('cp', ['-a', backup, files])
    await server.start()

    const restored = await open()
    assert.equal((await restored.accounts.lookup(hashApiKey(kept)))?.clientNumber, 'C1')
    assert.ok(!(await restored.accounts.lookup(hashApiKey(lost))))
    assert.equal(await restored.secrets.read('payment'), 'canary')
    await restored.accounts.create({ clientNumber: 'C2', name: 'After' }, BY)
    await restored.close()
  })
})
