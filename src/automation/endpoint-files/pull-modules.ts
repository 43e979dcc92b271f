/**
 * Plans the files NAME.module.jyro of a pull, so that a push of the folder restores the endpoints with what they import. A pull of
 * all endpoints has all modules, a pull of some has those that their scripts lead to. A module that was deleted, while a published
 * endpoint still keeps it, has the text of that copy.
 */
import { join } from 'node:path'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import type { Modules } from '../../directory/modules/modules.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { Module, ModuleVersion } from '../../schema/module-shapes.ts'
import { importsOf } from '../../script/script.ts'
import { type Comparison, scriptDiff } from '../operations/compare-definitions.ts'
import { readScript } from './endpoint-file.ts'
import { isModuleName, moduleFileName } from './module-files.ts'
import { plainScript } from './plain-script.ts'
import type { Content } from './pull-record.ts'
import type { Pulled } from './pulled.ts'

/** Where modules are pulled from: a store, or a service elsewhere. */
export type ModuleSource = {
  readonly endpoints: Pick<Endpoints, 'modulesOf'>
  readonly modules: Pick<Modules, 'list' | 'published' | 'version'> & {
    readonly versions: (name: string) => Promise<readonly Pick<ModuleVersion, 'version'>[]>
  }
}

type PulledEndpoint = {
  readonly id: string
  readonly definition: EndpointDefinition
  readonly publishedVersion: number | null
}

type Options = {
  /** Also the modules that none of the endpoints imports. */
  readonly all: boolean
  /** The newest published versions instead of the drafts. */
  readonly published: boolean
  readonly isKnown: (content: Content) => boolean
}

type PulledModule = { readonly pulled: Pulled; readonly content: Content }

/** By name. */
export async function pulledModules(
  folder: string,
  pulls: readonly PulledEndpoint[],
  source: ModuleSource,
  { all, published, isKnown }: Options,
): Promise<readonly PulledModule[]> {
  const imported = pulls.flatMap(({ definition: { script } }) => importsOf(script).map(({ name }) => name))
  if (!all && imported.length === 0) return []
  const stored = new Map((await source.modules.list()).map((module) => [module.name, module]))
  const textOf = async (name: string) =>
    (await storedText(stored.get(name), source, published)) ?? (await keptText(name, pulls, source))
  const texts = new Map<string, string>()
  const toCome = [...imported, ...(all ? [...stored.keys()].filter(isModuleName) : [])]
  const asked = new Set<string>()
  for (let name = toCome.pop(); name !== undefined; name = toCome.pop()) {
    if (asked.has(name)) continue
    asked.add(name)
    const script = await textOf(name)
    // A push of the folder says what is missing, as it does now.
    if (script === null) continue
    texts.set(name, script)
    toCome.push(...importsOf(script).map((one) => one.name))
  }
  const isKept = async (name: string, script: string) =>
    isKnown({ module: name, script }) || (stored.has(name) && (await isVersion(name, script, source)))
  const inOrder = [...texts].sort(([one], [other]) => (one < other ? -1 : 1))
  return Promise.all(inOrder.map(([name, script]) => planModule(folder, { name, script }, isKept)))
}

async function storedText(
  module: Module | undefined,
  { modules }: ModuleSource,
  published: boolean,
): Promise<string | null> {
  if (module === undefined) return null
  return published ? ((await modules.published(module.name, null))?.script ?? null) : module.script
}

/** What a published version of one of the endpoints keeps of the module; null when none does. */
async function keptText(
  name: string,
  pulls: readonly PulledEndpoint[],
  { endpoints }: ModuleSource,
): Promise<string | null> {
  for (const { id, publishedVersion } of pulls) {
    if (publishedVersion === null) continue
    const kept = (await endpoints.modulesOf(id, publishedVersion)).find((module) => module.name === name)
    if (kept !== undefined) return kept.script
  }
  return null
}

async function isVersion(name: string, script: string, { modules }: ModuleSource): Promise<boolean> {
  for (const { version } of await modules.versions(name)) {
    if (plainScript((await modules.version(name, version)).script) === script) return true
  }
  return false
}

async function planModule(
  folder: string,
  { name, script }: { readonly name: string; readonly script: string },
  isKept: (name: string, script: string) => Promise<boolean>,
): Promise<PulledModule> {
  const path = join(folder, moduleFileName(name))
  const there = await readScript(path)
  const isSame = there === plainScript(script)
  const pulled = {
    kind: 'module',
    name,
    outcome: there === null ? 'created' : isSame ? 'unchanged' : 'changed',
    files: [path],
    writes: new Map(isSame ? [] : [[path, script]]),
    edited: there === null || isSame || (await isKept(name, there)) ? null : difference(there, script),
  } as const
  return { pulled, content: { module: name, script } }
}

const difference = (found: string, script: string): Comparison => ({
  changes: [],
  script: scriptDiff({ title: 'the file', script: found }, { title: 'what would be pulled', script }),
})
