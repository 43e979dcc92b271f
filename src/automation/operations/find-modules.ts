/** Finds the modules that a script imports, directly or through others. What is not published is left out: the check reports it. */
import { importsOf, type ModuleText } from '../../script/script.ts'

/** The newest version when none is named; null when it is not published. */
export type FindModule = (name: string, version: number | null) => Promise<ModuleText | null>

export type UnsavedModule = Pick<ModuleText, 'name' | 'script'>

/** Texts that are not published have no version: each is the one that is asked for. Others are looked for elsewhere. */
export const unsavedFirst =
  (texts: readonly UnsavedModule[], elsewhere: FindModule = async () => null): FindModule =>
  async (name, version) => {
    const own = texts.find((text) => text.name === name)
    return own === undefined ? elsewhere(name, version) : { name, version: version ?? 1, script: own.script }
  }

/** More than any script needs; the length of a program is limited besides. */
const MOST_MODULES = 100

export async function findModules(script: string, find: FindModule): Promise<readonly ModuleText[]> {
  const found = new Map<string, ModuleText>()
  const asked = new Set<string>()
  const toCome = [...importsOf(script)]
  for (let next = toCome.pop(); next !== undefined && found.size < MOST_MODULES; next = toCome.pop()) {
    const question = `${next.name}@${next.version ?? ''}`
    if (asked.has(question)) continue
    asked.add(question)
    const module = await find(next.name, next.version)
    const key = `${module?.name}@${module?.version}`
    if (module === null || found.has(key)) continue
    found.set(key, module)
    toCome.push(...importsOf(module.script))
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
