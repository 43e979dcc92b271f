import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { holdServiceLock } from './service-lock.ts'

async function dataFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-lock-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

/** @returns whether another service runs on the folder, as one that starts now finds it */
async function hasOther(folder: string): Promise<boolean | undefined> {
  const lock = await holdServiceLock(folder)
  lock?.release()
  return lock?.hasOther
}

describe('a service on a data folder', () => {
  it('finds another one, and none once that has ended', async (t) => {
    const folder = await dataFolder(t)
    const first = await holdServiceLock(folder)
    assert.equal(first?.hasOther, false)
    assert.equal(await hasOther(folder), true)
    first.release()
    assert.equal(await hasOther(folder), false)
  })

  it('does not take a process that was killed for one', async (t) => {
    const folder = await dataFolder(t)
    const module = JSON.stringify(new URL('service-lock.ts', import.meta.url).href)
    const code = `
      import { holdServiceLock } from ${module}
      globalThis.lock = await holdServiceLock(process.argv[1])
      process.send('held')
      setInterval(() => undefined, 1000)`
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code, folder]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    await once(child, 'message')
    assert.equal(await hasOther(folder), true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.equal(await hasOther(folder), false)
  })
})
