/**
 * One rule says what a client number is: a refresh publishes what an account can be created for, whatever else is in the number,
 * and what it sets aside is listed as it was. A verification opens the files as the service does.
 */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { withSharedSnapshots } from '../../src/ingest/refresh/destination.ts'
import { Problem } from '../../src/kernel/problem.ts'
import { snapshotFolder } from '../../src/snapshot/format/layout.ts'
import { MANIFEST_FILE, type Manifest, readManifest, serializeManifest } from '../../src/snapshot/manifest.ts'
import { examineManifestObject, manifestObject } from '../../src/snapshot/objects/manifest-object.ts'
import { keyOf } from '../../src/snapshot/objects/object-keys.ts'
import { verifyShared } from '../../src/snapshot/objects/stored-objects.ts'
import { rowsOf } from '../fixtures/extract-rows.ts'
import {
  extractOfHostileClients,
  hostileClientNumbers,
  markOf,
  refusedClientNumbers,
} from '../fixtures/hostile-clients.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, refresh, rejectsIn, sharedFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { serveHere } from './service-in-process.ts'

const shown = (text: string): string => JSON.stringify(text).replaceAll('\ufeff', '\\ufeff')

const extract = extractOfHostileClients()
const faults = new Map(
  refusedClientNumbers.map((number) => {
    if (number === '') return [number, 'required']
    if ([...number].length > 20) return [number, 'length']
    if (number.includes('\0')) return [number, 'character.nul']
    return [number, /\p{Cc}/u.test(number) ? 'character.control' : 'client.blank']
  }),
)

describe('a client number', () => {
  const folders = sharedFolders(async ({ source, data }) => {
    const rows = (client_number: string) => ({ client_number, name: 'Name' })
    const clients = [...extract.clients, ...rowsOf('clients', refusedClientNumbers.map(rows))]
    await writeExtract(source, { ...extract, clients }, 'ndjson')
    await refresh({ source, data }, { maxRejectShare: 0.9 })
  })

  it('is published by a refresh when an account can be created for it, and otherwise a reject', async () => {
    const { data } = folders()
    const { clients, id } = await currentManifest(data)
    assert.deepEqual(clients.map(({ clientNumber }) => clientNumber).sort(), [...hostileClientNumbers].sort())
    const rejects = await rejectsIn(snapshotFolder(data, id))
    assert.deepEqual(
      rejects.map(({ table, rule, field, value }) => [table, field, rule, value]),
      refusedClientNumbers.map((number) => [
        'clients',
        'client_number',
        faults.get(number),
        number === '' ? null : number,
      ]),
    )
    const store = await openControlStore(data)
    for (const clientNumber of [...hostileClientNumbers, ...refusedClientNumbers]) {
      const made = await store.accounts.create({ clientNumber, name: 'Account' }, 'test').catch(codeOf)
      const isRefused = refusedClientNumbers.includes(clientNumber)
      const expected = isRefused ? 'DIR203' : clientNumber
      assert.equal(typeof made === 'string' ? made : made.account.clientNumber, expected, shown(clientNumber))
    }
    await store.close()
  })

  it('is the same to commands and operators, and the service answers for each', async (t) => {
    const { data } = folders()
    const listed = JSON.parse((await runCommand(['account', 'list', '--json', '--data', data])).stdout)
    const keys = new Map<string, string>()
    // The other forms of service are tested with all of them, on the wire.
    for (const clientNumber of hostileClientNumbers.filter((number) => /^(A1$|\ufeffA1|[_%])/.test(number))) {
      const draft = ['--client', clientNumber, '--name', markOf(clientNumber), '--data', data, '--json']
      const made = await runCommand(['account', 'create', ...draft])
      // No warning: the snapshot has the client.
      assert.deepEqual([made.code, made.stderr], [0, ''], shown(clientNumber))
      keys.set(clientNumber, JSON.parse(made.stdout).apiKey)
      assert.ok(listed.some((account: { clientNumber: string }) => account.clientNumber === clientNumber))
    }
    const token = (await runCommand(['token', 'issue', '--role', 'support', '--data', data])).stdout.trim()
    const serving = await serveHere(data)
    t.after(serving.close)
    for (const [clientNumber, key] of keys) {
      const own = await fetch(`${serving.address}/api/v2/bookings`, { headers: { 'X-API-Key': key } })
      const { bookings } = (await own.json()) as { bookings: { originatingAgency: string }[] }
      assert.deepEqual(
        bookings.map(({ originatingAgency }) => originatingAgency),
        [`\ufeffagency ${markOf(clientNumber)}`],
      )
      const path = `/api/admin/v1/clients/${encodeURIComponent(clientNumber)}`
      const headers = { Authorization: `Bearer ${token}` }
      const client = await (await fetch(`${serving.address}${path}`, { headers })).json()
      assert.partialDeepStrictEqual(client, { number: clientNumber, bookings: 1 })
      const preview = await fetch(`${serving.address}${path}/records/bookings`, { headers })
      assert.deepEqual(((await preview.json()) as typeof bookings & { bookings: unknown }).bookings, bookings)
    }
    assert.doesNotMatch(serving.output(), /damaged/)
  })

  it('does not keep a snapshot from being verified', async () => {
    const { data } = folders()
    const verified = JSON.parse((await runCommand(['snapshot', 'verify', '--json', '--data', data])).stdout)
    assert.deepEqual(
      verified.map(({ damaged, files }: { damaged: string[]; files: number }) => [damaged, files]),
      [[[], 4 * hostileClientNumbers.length]],
    )
  })
})

describe('a verification', () => {
  it('names a file that the service would refuse, though its checksum is right', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, extract, 'ndjson')
    const { snapshot } = await refresh({ source, data })
    const manifest = await currentManifest(data)
    await writeFile(
      join(snapshotFolder(data, snapshot), MANIFEST_FILE),
      serializeManifest({ ...manifest, clients: withFilesOfAnother(manifest.clients) }),
    )
    const { stdout, code } = await runCommand(['snapshot', 'verify', '--json', '--data', data])
    const [{ damaged }] = JSON.parse(stdout)
    assert.deepEqual([code, damaged.length], [1, 4])
    for (const reason of damaged) assert.match(reason, foreignFile)
  })

  it('does so where snapshots are shared', async (t) => {
    const { source, data } = await makeFolders(t)
    const settings = { data, snapshots: join(source, '..', 'mounted') }
    await writeExtract(source, extract, 'ndjson')
    const env = { TRIPFOLIO_DATA: data, TRIPFOLIO_SNAPSHOTS: settings.snapshots }
    assert.equal((await runCommand(['ingest', '--source', source], env)).code, 0)
    await withSharedSnapshots(settings, async (shared) => {
      assert.ok(shared)
      const { store, installation, index } = shared
      assert.deepEqual((await verifyShared(shared))[0]?.damaged, [])
      const published = (await index.list())[0] ?? assert.fail()
      const { manifest } = await examineManifestObject(published, shared.reader)
      assert.ok(manifest)
      const clients = withFilesOfAnother(manifest.clients)
      const content = await manifestObject({ ...manifest, clients })
      const key = keyOf(installation, manifest.id, content.sha256)
      await store.put(key, content)
      const list = async () => [{ ...published, manifest: { key, bytes: content.bytes } }]
      const [verified] = await verifyShared({ ...shared, index: { ...index, list } })
      assert.equal(verified?.damaged.length, 4)
      for (const reason of verified?.damaged ?? []) assert.match(reason, foreignFile)
    })
  })
})

const foreignFile = /it holds the (bookings|invoices)(-v1)? of client 'a1'/

const codeOf = (error: unknown): string => (error instanceof Problem ? error.code : String(error))

async function currentManifest(data: string): Promise<Manifest> {
  const id = (await readFile(join(data, 'current'), 'utf8')).trim()
  return readManifest(snapshotFolder(data, id))
}

/** The client `A1` gets the files of the client `a1`. */
const withFilesOfAnother = (clients: Manifest['clients']): Manifest['clients'] => {
  const { name, clientNumber, ...files } =
    clients.find((client) => client.clientNumber === 'a1') ?? assert.fail()
  return clients.map((client) => (client.clientNumber === 'A1' ? { ...client, ...files } : client))
}
