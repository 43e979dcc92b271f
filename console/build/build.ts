/**
 * Builds the applications into console/dist unless what is there was built from the same files. `npm ci` and `npm start` run
 * it, so that a fresh checkout needs no step of its own. Every file is also compressed here, once, as small as it gets.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const home = join(import.meta.dirname, '..')
const finished = join(home, 'dist')
const stamp = 'built-from'

/** What the result depends on. Parts of the service that the applications use are found by the lists of `sharedWithService`. */
const inputs = ['src', 'build', 'vite.config.ts', 'package.json', 'explore.html', 'console.html']
const sharedWithService = [
  '../src/script',
  '../src/query',
  '../src/schema',
  '../src/kernel',
  '../src/automation/host',
  '../src/automation/endpoint',
  '../package-lock.json',
]

const source = await hashOf([...inputs, ...sharedWithService])
if ((await builtFrom()) !== source) await build()

async function builtFrom(): Promise<string | undefined> {
  const file = join(finished, stamp)
  return existsSync(file) ? readFile(file, 'utf8') : undefined
}

/** Another build at the same time, or one that is killed, leaves no half-made folder behind. */
async function build(): Promise<void> {
  const began = performance.now()
  const folder = await mkdtemp(join(home, '.building-'))
  try {
    const { build: bundle } = await import('vite')
    await bundle({ configFile: join(home, 'vite.config.ts'), build: { outDir: folder } })
    for (const file of await filesUnder(folder)) await compress(file)
    await writeFile(join(folder, stamp), source)
    await rm(finished, { recursive: true, force: true })
    // The service may run as another user.
    await chmod(folder, 0o755)
    await rename(folder, finished)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  process.stdout.write(
    `The explorer and the console were built in ${Math.round(performance.now() - began)} ms.\n`,
  )
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file)
  await writeFile(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  await writeFile(
    `${file}.br`,
    brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  )
}

async function hashOf(places: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const place of places) {
    const path = join(home, place)
    for (const file of await filesUnder(path)) {
      if (/\.test\.tsx?$/.test(file)) continue
      hash
        .update(relative(home, file))
        .update('\0')
        .update(await readFile(file))
        .update('\0')
    }
  }
  return hash.digest('hex')
}

/** Sorted. A file is its own only one. */
async function filesUnder(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => null)
  if (entries === null) return [path]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
