/**
 * Writes endpoints of the store into files of a folder, and the modules that they import beside them. The name in the YAML
 * identifies the endpoint, not the name of the file. A file that already means what the store has is left as it is; files of other
 * endpoints are neither overwritten nor deleted.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import { fold } from '../../kernel/text.ts'
import type { EndpointDefinition, PublishedVersion } from '../../schema/endpoint-shapes.ts'
import { compareDefinitions } from '../operations/compare-definitions.ts'
import { readScript, readText, scriptPathOf, yamlFilesIn } from './endpoint-file.ts'
import type { FileFault } from './file-fault.ts'
import { plainScript } from './plain-script.ts'
import { editsWouldBeLost, nothingPublishedToPull } from './problems.ts'
import { type ModuleSource, pulledModules } from './pull-modules.ts'
import { type Content, contentIn, recordContent } from './pull-record.ts'
import type { Pulled } from './pulled.ts'
import { replaceFile } from './replace-file.ts'
import { type EndpointYaml, readEndpointYaml } from './yaml.ts'
import { changedEndpointYaml, newEndpointYaml } from './yaml-text.ts'

export type PullOptions = {
  /** Names or ids of endpoints; all endpoints when the list is empty. */
  readonly names: readonly string[]
  /** Pulls published versions instead of drafts. */
  readonly published: boolean
  /** Writes nothing, and reports what would be written. */
  readonly dryRun: boolean
  /** Overwrites files that were edited since they were pulled or pushed. */
  readonly force: boolean
}

/**
 * Writes nothing when there is a fault, or when files hold edits that would be lost. They do unless their content was pulled or
 * pushed last (`pull-record.ts`), or is a published version of the endpoint.
 *
 * @throws Problem END208 for files with edits, END148 for a named endpoint that is not published, END144 for a file that cannot be written
 */
export async function pullEndpoints(
  folder: string,
  source: PullSource,
  options: PullOptions,
): Promise<{ readonly pulled: readonly Pulled[]; readonly faults: readonly FileFault[] }> {
  const { endpoints } = source
  const pulls = await chosen(endpoints, options)
  const isKnown = await contentIn(folder)
  const plan = await planPull(folder, pulls, endpoints, isKnown)
  const imported = await pulledModules(folder, pulls, source, {
    all: options.names.length === 0,
    ...{ published: options.published, isKnown },
  })
  const { faults } = plan
  const pulled = [...plan.pulled, ...imported.map((one) => one.pulled)]
  if (options.dryRun || faults.length > 0) return { pulled, faults }
  const edited = pulled.filter((one) => one.edited !== null)
  if (edited.length > 0 && !options.force) throw editsWouldBeLost(edited)
  for (const one of pulled) await writePulled(one)
  const contents = [...pulls.map(({ definition }) => definition), ...imported.map((one) => one.content)]
  await recordContent(folder, contents, { create: true })
  return { pulled, faults }
}

/** Where endpoints are pulled from: a store, or a service elsewhere. */
type PullSource = ModuleSource & {
  readonly endpoints: Pick<Endpoints, 'list' | 'find' | 'version'> & {
    readonly versions: (id: string) => Promise<readonly Pick<PublishedVersion, 'version'>[]>
  }
}

/** A definition to write, and the name for its file if it has no file yet. */
type Pull = {
  readonly id: string
  readonly definition: EndpointDefinition
  readonly slug: string
  readonly publishedVersion: number | null
}

async function chosen(
  endpoints: PullSource['endpoints'],
  { names, published }: PullOptions,
): Promise<readonly Pull[]> {
  const all = await endpoints.list()
  const oldestFirst = all.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  const slugOf = slugs(oldestFirst.map(({ draft }) => draft.name))
  const wanted = names.length === 0 ? all : await Promise.all(names.map((name) => endpoints.find(name)))
  const pulls: Pull[] = []
  for (const { id, draft, published: version } of new Map(wanted.map((one) => [one.id, one])).values()) {
    const slug = slugOf.get(draft.name) as string
    const publishedVersion = version?.version ?? null
    if (!published) pulls.push({ id, definition: draft, slug, publishedVersion })
    else if (version !== null) {
      const { definition } = await endpoints.version(id, version.version)
      pulls.push({ id, definition, slug, publishedVersion })
    } else if (names.length > 0) throw nothingPublishedToPull(draft.name)
  }
  return pulls
}

async function planPull(
  folder: string,
  pulls: readonly Pull[],
  endpoints: PullSource['endpoints'],
  isKnown: (content: Content) => boolean,
): Promise<{ readonly pulled: readonly Pulled[]; readonly faults: readonly FileFault[] }> {
  const existing = await existingFiles(folder)
  /** Whether nothing is lost when what the files have is overwritten. */
  const isKept: IsKept = async (id, definition) => {
    if (isKnown(definition)) return true
    for (const { version } of await endpoints.versions(id)) {
      if (isDeepStrictEqual((await endpoints.version(id, version)).definition, definition)) return true
    }
    return false
  }
  const pulled: Pulled[] = []
  const faults: FileFault[] = []
  for (const pull of pulls) {
    const plan = await planOne(folder, pull, existing, isKept)
    if ('faults' in plan) faults.push(...plan.faults)
    else pulled.push(plan)
  }
  return { pulled, faults }
}

/** @throws Problem END144 */
async function writePulled({ writes }: Pulled): Promise<void> {
  for (const [path, text] of writes) {
    await replaceFile(path, text)
  }
}

/**
 * Names for new files. The name for an endpoint does not depend on which endpoints are pulled with it.
 *
 * @param names the names of all endpoints, oldest first
 */
function slugs(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  return new Map(
    names.map((name) => {
      const plain = slugOf(name)
      let slug = plain
      for (let i = 2; taken.has(slug); i++) slug = `${plain}-${i}`
      taken.add(slug)
      return [name, slug]
    }),
  )
}

const LONGEST_SLUG = 60

/** Letters and digits of any script, in lower case and without accents, with hyphens between them. */
function slugOf(name: string): string {
  const letters = fold(name.normalize('NFKD').replaceAll(/\p{M}/gu, '')).normalize('NFC')
  const slug = letters.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, LONGEST_SLUG)
  return slug.replaceAll(/^-|-$/g, '') || 'endpoint'
}

type ExistingFile = {
  readonly path: string
  readonly text: string
  readonly yaml: EndpointYaml
  readonly scriptPath: string
}

async function existingFiles(folder: string): Promise<readonly ExistingFile[]> {
  if (!existsSync(folder)) return []
  const files: ExistingFile[] = []
  for (const path of await yamlFilesIn(folder)) {
    const text = await readText('the endpoint', path)
    const yaml = readEndpointYaml(text)
    files.push({ path, text, yaml, scriptPath: scriptPathOf(path, yaml) })
  }
  return files
}

type Refused = { readonly faults: readonly FileFault[] }

async function planOne(
  folder: string,
  { id, definition, slug }: Pull,
  existing: readonly ExistingFile[],
  isKept: IsKept,
): Promise<Pulled | Refused> {
  const { name } = definition
  const [own, second] = existing.filter(({ yaml }) => yaml.name !== null && fold(yaml.name) === fold(name))
  if (own === undefined) return planNew(join(folder, `${slug}.yaml`), definition, existing)
  if (second !== undefined) {
    return refusal(second, `Expected one file for '${name}', found ${own.path} and ${second.path}`)
  }
  return planChange(own, definition, existing, (found) => isKept(id, found))
}

async function planNew(
  path: string,
  { script, ...definition }: EndpointDefinition,
  existing: readonly ExistingFile[],
): Promise<Pulled | Refused> {
  const { name } = definition
  const holder = existing.find((file) => file.path === path)
  if (holder !== undefined) {
    const held = holder.yaml.name === null ? 'something else' : `'${holder.yaml.name}'`
    return refusal(holder, `Expected ${path} to be free for '${name}', found ${held} in it`)
  }
  const scriptPath = scriptPathOf(path, { script: null })
  const there = await readScript(scriptPath)
  if (there !== null && there !== plainScript(script)) {
    const message = `Expected ${scriptPath} to be free for '${name}', found another script in it`
    return refusal({ path: scriptPath, text: there }, message)
  }
  const writes = new Map([[path, newEndpointYaml(definition)]])
  if (there === null) writes.set(scriptPath, script)
  return { kind: 'endpoint', name, outcome: 'created', files: [path, scriptPath], writes, edited: null }
}

async function planChange(
  own: ExistingFile,
  { script, ...definition }: EndpointDefinition,
  existing: readonly ExistingFile[],
  isKept: (found: EndpointDefinition) => Promise<boolean>,
): Promise<Pulled | Refused> {
  const { path, text, yaml, scriptPath } = own
  const { name } = definition
  if (yaml.definition === null)
    return { faults: yaml.faults.map((fault) => ({ ...fault, file: path, text })) }
  const there = await readScript(scriptPath)
  const writes = new Map<string, string>()
  if (!isDeepStrictEqual(yaml.definition, definition)) {
    writes.set(path, changedEndpointYaml(text, yaml.definition, definition))
  }
  if (there !== plainScript(script)) {
    const sharer = existing.find((file) => file !== own && file.scriptPath === scriptPath)
    if (sharer !== undefined) {
      const message = `Expected ${scriptPath} to belong to '${name}' alone, found it in ${sharer.path} too`
      return refusal(sharer, message)
    }
    writes.set(scriptPath, script)
  }
  const common = { kind: 'endpoint', name, files: [path, scriptPath], writes } as const
  if (writes.size === 0) return { ...common, outcome: 'unchanged', edited: null }
  // A script that is not there cannot have edits.
  const found = { ...yaml.definition, script: there ?? script }
  const edited = (await isKept(found))
    ? null
    : compareDefinitions(
        { title: 'the files', definition: found },
        { title: 'what would be pulled', definition: { ...definition, script } },
      )
  return { ...common, outcome: 'changed', edited }
}

type IsKept = (id: string, found: EndpointDefinition) => Promise<boolean>

const refusal = ({ path, text }: Pick<ExistingFile, 'path' | 'text'>, message: string): Refused => ({
  faults: [{ code: 'END150', message, at: null, file: path, text }],
})
