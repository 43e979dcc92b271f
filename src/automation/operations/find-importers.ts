/** Finds the endpoints and modules that import a module: whoever changes or deletes it has to know them. */
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import type { Modules } from '../../directory/modules/modules.ts'
import { importsOf } from '../../script/script.ts'

export type Importer = {
  readonly kind: 'endpoint' | 'module'
  /** Null for a module. */
  readonly id: string | null
  readonly name: string
  /** The version of the module that the published endpoint keeps; null when it keeps none. */
  readonly keptVersion: number | null
  /** Whether the draft imports the module itself. */
  readonly isInDraft: boolean
}

type Stores = {
  readonly endpoints: Pick<Endpoints, 'list' | 'modulesOf'>
  readonly modules: Pick<Modules, 'list'>
}

/** In no order. */
export async function findImporters(
  name: string,
  { endpoints, modules }: Stores,
): Promise<readonly Importer[]> {
  const importsIt = (script: string) => importsOf(script).some((imported) => imported.name === name)
  const found: Importer[] = []
  for (const { id, draft, published } of await endpoints.list()) {
    const kept = published === null ? [] : await endpoints.modulesOf(id, published.version)
    const keptVersion = kept.find((module) => module.name === name)?.version ?? null
    const isInDraft = importsIt(draft.script)
    if (keptVersion !== null || isInDraft) {
      found.push({ kind: 'endpoint', id, name: draft.name, keptVersion, isInDraft })
    }
  }
  for (const module of await modules.list()) {
    if (importsIt(module.script)) {
      found.push({ kind: 'module', id: null, name: module.name, keptVersion: null, isInDraft: true })
    }
  }
  return found
}
