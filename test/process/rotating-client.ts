/**
 * A client in a process or thread of its own that replaces its key over and over, or once together with others, or that
 * makes the store.
 * Each key that a rotation answered is printed in one write, so that a line that was read is a rotation that was promised.
 */
import { writeSync } from 'node:fs'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { hashApiKey } from '../../src/directory/accounts/api-key.ts'
import { openControlStore } from '../../src/directory/control-store.ts'

if (isMainThread) {
  const [path = '', mode = '', key = '', calls = ''] = process.argv.slice(2)
  if (mode === 'forever') await rotateForever(path, key)
  else if (mode === 'create') await createStore(path)
  else writeSync(1, JSON.stringify(await rotateTogether(path, key, Number(calls))))
} else {
  parentPort?.postMessage(await rotateTogether(workerData.path, workerData.key, workerData.calls))
}

async function rotateForever(path: string, key: string): Promise<void> {
  const { accounts } = await openControlStore(path)
  for (let current = key; ; ) {
    const rotated = await accounts.rotateOwnKey(hashApiKey(current))
    if (rotated === null) throw new Error('The key that was answered last does not open')
    current = rotated.apiKey
    writeSync(1, `${current}\n`)
  }
}

async function rotateTogether(path: string, key: string, calls: number): Promise<(string | null)[]> {
  const store = await openControlStore(path)
  const attempts = Array.from({ length: calls }, () => store.accounts.rotateOwnKey(hashApiKey(key)))
  const results = await Promise.all(attempts)
  await store.close()
  return results.map((rotated) => rotated?.apiKey ?? null)
}

async function createStore(path: string): Promise<void> {
  writeSync(1, 'creating\n')
  const store = await openControlStore(path)
  await store.close()
}
