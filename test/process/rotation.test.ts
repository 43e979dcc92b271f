import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createAuthenticator } from '../../src/auth/authenticate.ts'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { controlStorePath, openControlStore } from '../../src/directory/open-stores.ts'
import { repeated } from '../campaign.ts'

const rotatingClient = new URL('./rotating-client.ts', import.meta.url)

let root: string
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-rotation-'))
})
after(() => rmSync(root, { recursive: true }))

const startClient = (...args: string[]): ChildProcess & { readonly stdout: NodeJS.ReadableStream } =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(rotatingClient), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

async function newAccount(folder: string) {
  const dataFolder = join(root, folder)
  const store = await openControlStore(dataFolder)
  const { account, apiKey } = await store.accounts.create(
    { name: 'Client', clientNumber: 'C1' },
    'operator:test',
  )
  return { dataFolder, store, id: account.id, apiKey }
}

const rotationsOf = async ({ accounts }: ControlStore, id: string): Promise<number> =>
  (await accounts.history(id)).filter(({ action }) => action === 'account.rotate').length

describe('rotation raced by threads and processes', () => {
  it('succeeds for exactly one of 50 parallel calls with one key, every time', async () => {
    const { dataFolder, store, id, apiKey } = await newAccount('race')
    const authenticate = createAuthenticator(store.accounts)
    let key = apiKey
    for (let round = 1; round <= repeated(1, 10); round++) {
      const answers = await Promise.all([
        ...[1, 2].map(() => rotateInThread(dataFolder, key, 15)),
        ...[1, 2].map(() => rotateInProcess(dataFolder, key, 10)),
      ])
      const winners = answers.flat().filter((answer) => answer !== null)
      assert.equal(answers.flat().length, 50)
      assert.equal(winners.length, 1)
      assert.equal(await authenticate(key), null)
      key = winners[0] ?? ''
      assert.equal((await authenticate(key))?.accountId, id)
      assert.equal(await rotationsOf(store, id), round)
    }
    await store.close()
  })
})

async function rotateInThread(dataFolder: string, key: string, calls: number): Promise<(string | null)[]> {
  const worker = new Worker(rotatingClient, { workerData: { dataFolder, key, calls } })
  const [answers] = await once(worker, 'message')
  return answers
}

async function rotateInProcess(dataFolder: string, key: string, calls: number): Promise<(string | null)[]> {
  return JSON.parse(await text(startClient(dataFolder, 'together', key, String(calls)).stdout))
}

describe('a process that rotates its key and is killed at any moment', () => {
  it('leaves a whole store in which the last promised key opens, unless the next rotation had just been made', async () => {
    const { dataFolder, store, id, apiKey } = await newAccount('kill')
    await store.close()
    let key = apiKey
    let unannounced = 0
    const kills = repeated(4, 200)
    for (let round = 0; round < kills; round++) {
      const before = await inspect(dataFolder, id, key)
      const promised = await killWhileRotating(dataFolder, key, round)
      const found = await inspect(dataFolder, id, promised.at(-1) ?? key)
      assert.equal(found.integrity, 'ok')
      const rotations = found.rotations - before.rotations
      // Each promised rotation is there. At most one more was made but not yet printed; then, and only then, the last
      // promised key has been replaced.
      assert.ok(rotations === promised.length || rotations === promised.length + 1, `round ${round}`)
      assert.equal(found.opens, rotations === promised.length, `round ${round}`)
      if (!found.opens) unannounced++
      key = await operatorRotates(dataFolder, id, promised.at(-1) ?? key)
    }
    assert.ok(unannounced < kills)
  })
})

describe('a process that is killed while it makes the store', () => {
  it('leaves what the next process makes a whole store of', async () => {
    for (let round = 0; round < repeated(2, 100); round++) {
      const dataFolder = join(root, `create-${round}`)
      const client = startClient(dataFolder, 'create')
      const closed = once(client, 'close')
      await once(client.stdout, 'data')
      await sleep(40 * Math.random())
      client.kill('SIGKILL')
      await closed
      const store = await openControlStore(dataFolder)
      await store.accounts.create({ name: 'Client', clientNumber: 'C1' }, 'operator:test')
      assert.equal((await store.accounts.list()).length, 1)
      await store.close()
    }
  })
})

/** Kills within 40 ms after the first promised key, or in every fourth round at any moment since the start. */
async function killWhileRotating(dataFolder: string, key: string, round: number): Promise<readonly string[]> {
  const client = startClient(dataFolder, 'forever', key)
  const closed = once(client, 'close')
  let printed = ''
  client.stdout.on('data', (chunk) => {
    printed += chunk
  })
  if (round % 4 === 0) await sleep(Math.random() * 300)
  else {
    await once(client.stdout, 'data')
    await sleep(Math.random() * 40)
  }
  client.kill('SIGKILL')
  const [, signal] = await closed
  assert.equal(signal, 'SIGKILL')
  return printed.split('\n').slice(0, -1)
}

async function inspect(dataFolder: string, id: string, key: string) {
  const store = await openControlStore(dataFolder)
  const opens = (await createAuthenticator(store.accounts)(key)) !== null
  const rotations = await rotationsOf(store, id)
  await store.close()
  const database = new DatabaseSync(controlStorePath(dataFolder))
  const integrity = database.prepare('pragma integrity_check').get()?.integrity_check
  database.close()
  return { opens, rotations, integrity }
}

/** Whatever happened to the client's own key, the operator can always issue another, and it replaces every other. */
async function operatorRotates(dataFolder: string, id: string, old: string): Promise<string> {
  const store = await openControlStore(dataFolder)
  const { apiKey } = await store.accounts.rotate(id, 'operator:test')
  const authenticate = createAuthenticator(store.accounts)
  assert.equal((await authenticate(apiKey))?.accountId, id)
  assert.equal(await authenticate(old), null)
  await store.close()
  return apiKey
}
