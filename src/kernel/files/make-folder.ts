import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and all missing folders above it. The `recursive` option of node:fs never returns where the system answers
 * "no such file" to making a folder, as it does under /proc.
 *
 * @param mode mode of the new folders, whatever the umask is; without it the umask decides
 * @returns the topmost folder that was made, or undefined when all existed
 * @throws the system's error when a folder cannot be made, or when something else has its name
 */
export function makeFolder(path: string, mode?: number): string | undefined {
  const missing: string[] = []
  let at = resolve(path)
  while (!existsSync(at)) {
    missing.unshift(at)
    at = dirname(at)
  }
  if (!statSync(at).isDirectory())
    throw Object.assign(new Error(`${at} is not a folder`), { code: 'ENOTDIR' })
  for (const folder of missing) makeOne(folder, mode)
  return missing[0]
}

/** Another process may make the same folder at the same time. */
function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, mode)
    if (mode !== undefined) chmodSync(folder, mode)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}
