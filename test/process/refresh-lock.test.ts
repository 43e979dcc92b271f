/** No content of `refresh.lock` keeps a refresh from running; a refresh that runs keeps out every other one. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { lockRefresh } from '../../src/ingest/refresh/refresh-lock.ts'
import { readCurrentId } from '../../src/snapshot/format/layout.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Folders, makeFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

const lockOf = ({ data }: Folders): string => join(data, 'refresh.lock')

async function prepared(t: Parameters<typeof makeFolders>[0]): Promise<Folders> {
  const folders = await makeFolders(t)
  await mkdir(folders.data)
  return folders
}

/** A lock file as a refresh of the given process leaves it. */
function leaveLock(path: string, pid: number): void {
  const file = new DatabaseSync(path)
  file.exec(`PRAGMA user_version = ${pid}`)
  file.close()
}

/** A process that holds the lock until it is killed. */
async function holdElsewhere({ data }: Folders): Promise<{ pid: number; kill: () => Promise<unknown> }> {
  const code = `
    import { lockRefresh } from ${JSON.stringify(new URL('../../src/ingest/refresh/refresh-lock.ts', import.meta.url).href)}
    const lock = lockRefresh(process.argv[1])
    process.stdout.write('locked')
    setInterval(() => lock, 1000)`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code, data]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return {
    pid: child.pid as number,
    kill: () => {
      child.kill('SIGKILL')
      return ended
    },
  }
}

describe('refresh.lock', () => {
  const leftovers: readonly [what: string, leave: (path: string) => Promise<void> | void][] = [
    ['garbage', (path) => writeFile(path, 'this is no lock file, but somebody put it here')],
    ['no bytes', (path) => writeFile(path, '')],
    ['a bare process id', (path) => writeFile(path, `${process.pid}\n`)],
    ['a file cut short', (path) => Promise.resolve(leaveLock(path, 1)).then(() => truncate(path, 700))],
    ['the id of a dead process', (path) => leaveLock(path, 2 ** 30)],
    ['the id of a process that is another program', (path) => leaveLock(path, process.ppid)],
  ]
  for (const [what, leave] of leftovers) {
    it(`with ${what} can be locked`, async (t) => {
      const folders = await prepared(t)
      await leave(lockOf(folders))
      const lock = lockRefresh(folders.data)
      assert.throws(() => lockRefresh(folders.data), { code: 'ING121' })
      lock.release()
    })
  }

  it('with something else in it lets a refresh publish', async (t) => {
    const folders = await prepared(t)
    const { source, data } = folders
    await writeExtract(source, fixtureExtract, 'csv')
    await writeFile(lockOf(folders), 'this is no lock file, but somebody put it here')
    const { code, stderr } = await runCommand(['ingest', '--source', source, '--data', data])
    assert.deepEqual([code, stderr], [0, ''])
    assert.ok(await readCurrentId(data))
  })

  it('with any change to its bytes can be locked', async (t) => {
    const folders = await prepared(t)
    lockRefresh(folders.data).release()
    const valid = await readFile(lockOf(folders))
    const changes = fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(changes, fc.nat(valid.length), async (bytes, length) => {
        const damaged = Buffer.from(valid)
        for (const [at, byte] of bytes) damaged[at] = byte
        await writeFile(lockOf(folders), damaged.subarray(0, length))
        lockRefresh(folders.data).release()
      }),
      { seed: campaignSeed, numRuns: repeated(80, 5000) },
    )
  })

  it('keeps out others while it is held, even when it is overwritten meanwhile, and tells the process', async (t) => {
    const folders = await prepared(t)
    const holder = await holdElsewhere(folders)
    try {
      const busy = { code: 'ING121', message: new RegExp(`\\(process ${holder.pid}\\)`) }
      assert.throws(() => lockRefresh(folders.data), busy)
      await writeFile(lockOf(folders), 'garbage')
      assert.throws(() => lockRefresh(folders.data), { code: 'ING121' })
      assert.throws(() => lockRefresh(folders.data), { code: 'ING121' })
    } finally {
      await holder.kill()
    }
    lockRefresh(folders.data).release()
  })

  it('that is a folder is refused by name', async (t) => {
    const folders = await prepared(t)
    await mkdir(lockOf(folders))
    assert.throws(() => lockRefresh(folders.data), {
      code: 'ING124',
      message: /refresh\.lock' cannot be used/,
    })
  })
})
