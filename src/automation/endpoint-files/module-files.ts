/** Modules from files: NAME.module.jyro in the folder of the endpoints that import them. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importsOf, type ModuleText } from '../../script/script.ts'
import { findModules, unsavedFirst } from '../operations/find-modules.ts'
import type { FileFault } from './file-fault.ts'
import { plainScript } from './plain-script.ts'
import { unreadableFile } from './problems.ts'

export type ModuleFile = { readonly name: string; readonly path: string; readonly script: string }

const NAME = /^(.+)\.module\.jyro$/
const MODULE_NAME = /^[a-z][a-z0-9-]{0,59}$/

export const moduleFileName = (name: string): string => `${name}.module.jyro`

export const isModuleName = (name: string): boolean => MODULE_NAME.test(name)

/** The modules that a script of the folder imports from it, as they would be pushed. @throws Problem END143 */
export async function modulesBeside(folder: string, script: string): Promise<readonly ModuleText[]> {
  if (importsOf(script).length === 0) return []
  const { modules } = await moduleFilesIn(folder)
  return findModules(script, unsavedFirst(modules))
}

/** @throws Problem END143 */
export async function moduleFilesIn(
  folder: string,
): Promise<{ readonly modules: readonly ModuleFile[]; readonly faults: readonly FileFault[] }> {
  const names = await readdir(folder).catch((cause) => {
    throw unreadableFile('the folder', folder, cause)
  })
  const modules: ModuleFile[] = []
  const faults: FileFault[] = []
  for (const file of names.sort()) {
    const [, name] = NAME.exec(file) ?? []
    if (name === undefined || file.startsWith('.')) continue
    const path = join(folder, file)
    const script = plainScript(
      await readFile(path, 'utf8').catch((cause) => {
        throw unreadableFile('the module', path, cause)
      }),
    )
    if (isModuleName(name)) modules.push({ name, path, script })
    else {
      const message = `Expected a module named in small letters, digits and hyphens, such as fees.module.jyro, found ${file}`
      faults.push({ code: 'END151', message, at: null, file: path, text: script })
    }
  }
  return { modules, faults }
}
