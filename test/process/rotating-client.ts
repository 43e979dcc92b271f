/**
 * A client in a process or thread of its own that replaces its key over and over, or once together with others, or that
 * makes the store.
 * Each key that a rotation answered is printed in one write, so that a line that was read is a rotation that was promised.
 */
import { writeSync } from 'node:fs'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { hashApiKey } from '../../src/directory/accounts/api-key.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'

if (isMainThread) {
  const [dataFolder = '', mode = '', key = '', calls = ''] = process.argv.slice(2)
  if (mode === 'forever') await rotateForever(dataFolder, key)
  else if (mode === 'create') await createStore(dataFolder)
  else writeSync(1, JSON.stringify(await rotateTogether(dataFolder, key, Number(calls))))
} else {
  parentPort?.postMessage(await rotateTogether(workerData.dataFolder, workerData.key, workerData.calls))
}

async function rotateForever(dataFolder: string, key: string): Promise<void> {
  const { accounts } = await openControlStore(dataFolder)
  for (let current = key; ; ) {
    const rotated = await accounts.rotateOwnKey(hashApiKey(current))
    if (rotated === null) throw new Error('The key that was answered last does not open')
    current = rotated.apiKey
    writeSync(1, `${current}\n`)
  }
}

async function rotateTogether(dataFolder: string, key: string, calls: number): Promise<(string | null)[]> {
  const store = await openControlStore(dataFolder)
  const attempts = Array.from({ length: calls }, () => store.accounts.rotateOwnKey(hashApiKey(key)))
  const results = await Promise.all(attempts)
  await store.close()
  return results.map((rotated) => rotated?.apiKey ?? null)
}

async function createStore(dataFolder: string): Promise<void> {
  writeSync(1, 'creating\n')
  const store = await openControlStore(dataFolder)
  await store.close()
}
