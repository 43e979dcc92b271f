import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it, one after the other. The `recursive` option of node:fs never comes back where the
 * system answers "no such file" to making one, as it does under /proc.
 *
 * @param mode of the folders that are made, whatever the umask; without it the umask decides
 * @returns the topmost folder that was made, or undefined when all were there
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

/** Somebody else may make the same folder at the same time. */
function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, mode)
    if (mode !== undefined) chmodSync(folder, mode)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}
