/** Saves modules from files in the store, and checks the scripts that import them before anything is changed. */
import type { Modules } from '../../directory/modules/modules.ts'
import { isNotWritable } from '../../directory/problems.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Module } from '../../schema/module-shapes.ts'
import { importsOf } from '../../script/script.ts'
import { checkEndpoint } from '../operations/check-endpoint.ts'
import { type FindModule, findModules } from '../operations/find-modules.ts'
import type { EndpointFile } from './endpoint-file.ts'
import type { FileFault } from './file-fault.ts'
import type { ModuleFile } from './module-files.ts'
import { plainScript } from './plain-script.ts'

export type PushedModule = {
  readonly name: string
  readonly draft: 'created' | 'changed' | 'unchanged' | 'refused'
  /** The version that this push has published, or null. */
  readonly publishedVersion: number | null
  readonly file: string
  /** Why the push was refused, or null. */
  readonly refusal: string | null
}

/** Where modules are saved: a store, or a service elsewhere. */
export type PushModules = Pick<Modules, 'list' | 'create' | 'saveDraft' | 'publish' | 'published'>

/** A file, the stored module with its name, and the version that the file is or will be. */
type Push = { readonly file: ModuleFile; readonly stored: Module | undefined; readonly version: number }

export async function planModules(
  files: readonly ModuleFile[],
  modules: Pick<Modules, 'list' | 'published'> | null,
): Promise<readonly Push[]> {
  const all = new Map((await modules?.list())?.map((module) => [module.name, module]))
  return Promise.all(
    files.map(async (file) => {
      const stored = all.get(file.name)
      const published = stored?.hasUnpublishedChanges
        ? await modules?.published(file.name, stored.version)
        : stored
      const version = stored?.version ?? 0
      const isPublished = version > 0 && isSame(published, file)
      return { file, stored, version: isPublished ? version : version + 1 }
    }),
  )
}

const isSame = (stored: { readonly script: string } | null | undefined, { script }: ModuleFile): boolean =>
  stored != null && plainScript(stored.script) === script

/** The modules of the files, as they will be published, and those of the store. */
export const modulesToCome =
  (pushes: readonly Push[], modules: Pick<Modules, 'published'> | null): FindModule =>
  async (name, version) => {
    const own = pushes.find(({ file }) => file.name === name)
    if (own !== undefined && (version === null || version === own.version)) {
      return { name, version: own.version, script: own.file.script }
    }
    return (await modules?.published(name, version)) ?? null
  }

/** The problems of modules, and of endpoints that import any. */
export async function importFaults(
  files: readonly EndpointFile[],
  pushes: readonly Push[],
  find: FindModule,
): Promise<readonly FileFault[]> {
  const importing = files.filter(({ definition }) => importsOf(definition.script).length > 0)
  const texts = [
    ...pushes.map(({ file: { path, script, name } }) => ({ file: path, script, moduleName: name })),
    ...importing.map(({ scriptPath, definition: { script } }) => ({
      file: scriptPath,
      script,
      moduleName: undefined,
    })),
  ]
  const faults: FileFault[] = []
  for (const { file, script, moduleName } of texts) {
    const problems = checkEndpoint({ script, moduleName, modules: await findModules(script, find) })
    faults.push(...problems.map(({ code, message, at }) => ({ code, message, at, file, text: script })))
  }
  return faults
}

type Options = {
  readonly publish: boolean
  readonly note: string | null
  readonly dryRun: boolean
  readonly by: string
}

export async function pushModule(
  { file, stored, version }: Push,
  modules: PushModules | null,
  { by, dryRun, note, publish }: Options,
): Promise<PushedModule> {
  const { name, path, script } = file
  const draft = stored === undefined ? 'created' : isSame(stored, file) ? 'unchanged' : 'changed'
  const willPublish = publish && version !== stored?.version
  const pushed = {
    name,
    draft,
    publishedVersion: willPublish ? version : null,
    file: path,
    refusal: null,
  } as const
  if (modules === null || dryRun) return pushed
  try {
    const members = { description: stored?.description ?? '', script }
    const saved =
      stored === undefined
        ? await modules.create(name, members, by)
        : await modules.saveDraft(name, members, by, stored.draftRevision)
    if (!willPublish) return pushed
    const { version: publishedVersion } = await modules.publish(name, by, note, saved.draftRevision)
    return { ...pushed, publishedVersion }
  } catch (problem) {
    if (!(problem instanceof Problem) || isNotWritable(problem)) throw problem
    return { ...pushed, draft: 'refused', publishedVersion: null, refusal: problem.message }
  }
}
