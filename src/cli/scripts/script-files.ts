/** The files that `tripfolio script` reads: scripts, folders of them, and the modules beside a script that imports any. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { Problem } from '../../kernel/problem.ts'
import { importsOf, type ModuleText } from '../../script/script.ts'
import type { Invocation } from '../invocation.ts'

/** The scripts of a folder by name, without those that are hidden. @throws Problem SCR201 */
export async function scriptsIn(path: string): Promise<readonly string[]> {
  if (path === '-' || !(await isFolder(path))) return [path]
  const names = await readdir(path).catch((cause) => {
    throw unreadable('the folder', path, cause)
  })
  const scripts = names.filter((name) => /^[^.].*\.jyro$/.test(name)).sort()
  if (scripts.length === 0)
    throw unreadable('scripts in', path, new Error('found no file such as spend.jyro'))
  return scripts.map((name) => join(path, name))
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() === true

/** Undefined for the script of an endpoint. */
export const moduleNameOf = (path: string): string | undefined =>
  /^(.+)\.module\.jyro$/.exec(basename(path))?.[1]

/** What the script imports from the folder of its file; from standard input, nothing. @throws Problem END143 */
export async function modulesOf(path: string, script: string): Promise<readonly ModuleText[]> {
  if (path === '-' || importsOf(script).length === 0) return []
  // Not imported at the top: most scripts import nothing.
  const { modulesBeside } = await import('../../automation/endpoint-files/module-files.ts')
  return modulesBeside(dirname(path), script)
}

export const readScript = (cli: Invocation, file: string): Promise<string> =>
  readText(cli, file, 'the script')

/** @throws Problem SCR201 */
export async function readText(cli: Invocation, file: string, what: string): Promise<string> {
  const reading = file === '-' ? textOf(cli.io.stdin) : readFile(file, 'utf8')
  const text = await reading.catch((cause) => {
    throw unreadable(what, file, cause)
  })
  return text.replace(/^\ufeff/, '')
}

const unreadable = (what: string, path: string, cause: unknown) =>
  new Problem('SCR201', `Cannot read ${what} ${path}: ${(cause as Error).message}`, { cause })
