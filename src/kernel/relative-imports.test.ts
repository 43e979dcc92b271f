import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'

const faster = new URL('relative-imports.ts', import.meta.url).href
const folder = new URL('./', import.meta.url)

/** Runs the module in a thread of its own, because what is tested changes all later imports of a thread. */
const run = (code: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const module = `import { parentPort } from 'node:worker_threads'; import '${faster}'; ${code}`
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(module)}`))
    worker.once('message', resolve)
    worker.once('error', reject)
  })

describe('relative imports', () => {
  it('give the modules that Node.js gives, of files, packages and built-in modules', async () => {
    const files = ['soon.ts', 'text.ts'].map((name) => new URL(name, folder).href)
    const expected = await Promise.all(
      [...files, 'kysely', 'fastify', 'pino', 'node:path'].map(async (name) =>
        Object.keys(await import(name)),
      ),
    )
    const names = [
      ...files,
      ...['kysely', 'fastify', 'pino'].map((name) => import.meta.resolve(name)),
      'node:path',
    ]
    const given = await run(
      `const loaded = await Promise.all(${JSON.stringify(names)}.map((name) => import(name)));
      parentPort.postMessage(loaded.map((module) => Object.keys(module)))`,
    )
    assert.deepEqual(given, expected)
  })
})
