/** The PostgreSQL server that all processes of a run of tests share. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ask, endProcess, startServer } from './server-process.ts'

/** The first process that needs the server starts it, and the others wait for it. */
export async function sharedServer(folder: string): Promise<string> {
  const told = join(folder, SHARED_SERVER_FILE)
  await mkdir(folder, { recursive: true })
  const isFirst = await mkdir(join(folder, 'postgres-starting')).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    const { url, pid, folder: files } = await startServer({ detached: true })
    // The first connection to a database writes a file that saves the next ones half of their start; copies have it, too.
    await ask(new URL('/template1', url).href, 'select 1')
    await writeFile(`${told}.new`, JSON.stringify({ url, pid, files }))
    await rename(`${told}.new`, told)
    return url
  }
  const until = performance.now() + LONGEST_START_MS
  while (!existsSync(told)) {
    if (performance.now() > until) throw new Error('The PostgreSQL of this run of tests did not start')
    await wait(50)
  }
  return (JSON.parse(await readFile(told, 'utf8')) as { url: string }).url
}

const LONGEST_START_MS = 60_000

/** In the folder of fixtures: the server that the processes of a run share, for the runner to stop. */
const SHARED_SERVER_FILE = 'postgres.json'

/** Stops the server that processes of this run of tests share, if any has started it. */
export async function stopSharedServer(fixtures: string): Promise<void> {
  const told = join(fixtures, SHARED_SERVER_FILE)
  if (!existsSync(told)) return
  const { pid, files } = JSON.parse(await readFile(told, 'utf8')) as { pid: number; files: string }
  await endProcess(pid)
  await rm(files, { recursive: true, force: true })
}
