/**
 * Saves endpoints from files in the store: creates or updates drafts, and publishes them on request. Conflicts are looked for
 * before anything is changed; a conflict with a change that is made meanwhile is refused endpoint by endpoint.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import {
  nameTaken,
  noteTooLong,
  routeTaken,
  signingSecretMissing,
} from '../../directory/endpoints/problems.ts'
import { routeOf } from '../../directory/endpoints/text.ts'
import { isNotWritable } from '../../directory/problems.ts'
import type { Secrets } from '../../directory/secrets/secrets.ts'
import { whyUnusable } from '../../directory/secrets/usable-secret.ts'
import { Problem } from '../../kernel/problem.ts'
import { codePointLength, fold } from '../../kernel/text.ts'
import type { SecretSummary } from '../../schema/directory-shapes.ts'
import type { Endpoint, EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { PublishedModule } from '../../schema/module-shapes.ts'
import { endpointWarnings } from '../operations/check-endpoint.ts'
import { findModules } from '../operations/find-modules.ts'
import type { EndpointFile, ReadFiles } from './endpoint-file.ts'
import type { FileFault } from './file-fault.ts'
import { type NamedSecret, namedSecrets } from './named-secrets.ts'
import { plainScript } from './plain-script.ts'
import { noteWithoutPublication } from './problems.ts'
import {
  importFaults,
  modulesToCome,
  type PushedModule,
  type PushModules,
  planModules,
  pushModule,
} from './push-modules.ts'
import { placeOf } from './yaml.ts'

export type Pushed = {
  readonly name: string
  /** Null when the endpoint is not created yet. */
  readonly id: string | null
  readonly draft: 'created' | 'changed' | 'unchanged' | 'refused'
  /** The version that this push has published, or null. */
  readonly publishedVersion: number | null
  /** Whether callers reach the published version. */
  readonly active: boolean
  readonly file: string
  /** Why the push was refused, or null. */
  readonly refusal: string | null
}

export type PushOptions = {
  readonly publish: boolean
  readonly note: string | null
  /** Changes nothing, and reports what would change. */
  readonly dryRun: boolean
  readonly by: string
}

export type PushResult =
  /** With faults, nothing was changed. */
  | { readonly faults: readonly FileFault[] }
  | {
      readonly pushed: readonly Pushed[]
      readonly modules: readonly PushedModule[]
      /** Secrets that endpoints name and that are not stored yet. What needs them fails until they are. */
      readonly missingSecrets: readonly (NamedSecret & { readonly endpoint: string })[]
      /** About code that is allowed but probably not meant. */
      readonly warnings: readonly FileFault[]
    }

/** Where endpoints are saved: a store, or a service elsewhere. */
type PushTarget = {
  readonly endpoints: Pick<Endpoints, 'list' | 'version' | 'create' | 'saveDraft' | 'publish' | 'modulesOf'>
  readonly modules: PushModules
  readonly secrets: Pick<Secrets, 'list'>
}

/** @param store null without a data folder; nothing is changed then */
export async function pushFiles(
  { files, modules: moduleFiles, faults }: ReadFiles,
  store: PushTarget | null,
  options: PushOptions,
): Promise<PushResult> {
  const endpoints = store?.endpoints ?? null
  const secrets = (await store?.secrets.list()) ?? []
  const plan = await planPush(files, endpoints, options.publish ? secrets : null)
  const stored = store?.modules ?? null
  const modulePlan = await planModules(moduleFiles, stored)
  const toCome = modulesToCome(modulePlan, stored)
  const found = [...faults, ...plan.faults, ...(await importFaults(files, modulePlan, toCome))]
  if (found.length > 0) return { faults: found }
  const modules: PushedModule[] = []
  for (const push of modulePlan) modules.push(await pushModule(push, stored, options))
  const find = options.dryRun || stored === null ? toCome : stored.published
  const pushed: Pushed[] = []
  const missingSecrets: (NamedSecret & { readonly endpoint: string })[] = []
  const known = new Set(secrets.map(({ name }) => fold(name)))
  for (const push of plan.pushes) {
    const { definition } = push.file
    const imported = await findModules(definition.script, find)
    pushed.push(await pushEndpoint(push, endpoints, options, imported))
    const texts = [definition, ...(await findModules(definition.script, toCome))]
    const named = namedSecrets(
      definition,
      texts.map(({ script }) => script),
    )
    const missing = named.filter(({ secret }) => !known.has(fold(secret)))
    missingSecrets.push(...missing.map((one) => ({ endpoint: definition.name, ...one })))
  }
  return { pushed, modules, missingSecrets, warnings: files.flatMap(warningsOf) }
}

const warningsOf = ({ scriptPath, definition: { script } }: EndpointFile): readonly FileFault[] =>
  endpointWarnings({ script }).map(({ code, message, at }) => ({
    ...{ code, message, at },
    file: scriptPath,
    text: script,
  }))

/** The limit of the store. It is checked here because the store checks it only when the drafts are already saved. */
const LONGEST_NOTE = 500

/** @throws Problem END146, or for a note that is too long */
export function checkNote({ note, publish }: Pick<PushOptions, 'note' | 'publish'>): void {
  if (note === null) return
  if (!publish) throw noteWithoutPublication()
  const length = codePointLength(note)
  if (length > LONGEST_NOTE) throw noteTooLong(LONGEST_NOTE, length)
}

/** A file, and the stored endpoint with its name, if there is one. */
type Push = { readonly file: EndpointFile; readonly endpoint: Endpoint | undefined }

/**
 * Finds what the store would refuse in its present state.
 *
 * @param secrets those that are stored; null when nothing is published, which needs none
 */
async function planPush(
  files: readonly EndpointFile[],
  endpoints: Pick<Endpoints, 'list' | 'version'> | null,
  secrets: readonly SecretSummary[] | null,
): Promise<{ readonly pushes: readonly Push[]; readonly faults: readonly FileFault[] }> {
  const stored = (await endpoints?.list()) ?? []
  const byName = new Map(stored.map((endpoint) => [fold(endpoint.draft.name), endpoint]))
  const pushes = files.map((file) => ({ file, endpoint: byName.get(fold(file.definition.name)) }))
  const routes = endpoints === null ? [] : await routesOf(stored, endpoints)
  const faults = [
    ...repeatedParts(files),
    ...pushes.flatMap((push) => takenRoute(push, routes)),
    ...(secrets === null ? [] : files.flatMap((file) => missingSignature(file, secrets))),
  ]
  return { pushes, faults }
}

/** Nothing can be published that checks deliveries with a secret that cannot be used. */
function missingSignature(file: EndpointFile, secrets: readonly SecretSummary[]): FileFault[] {
  const { name, signature } = file.definition
  if (signature === null) return []
  const secret = secrets.find((each) => fold(each.name) === fold(signature.secret))
  const why = whyUnusable(secret)
  return why === null ? [] : [faultAt(file, 'signature', signingSecretMissing(name, signature.secret, why))]
}

async function pushEndpoint(
  { file, endpoint }: Push,
  endpoints: PushTarget['endpoints'] | null,
  options: PushOptions,
  imported: readonly PublishedModule[],
): Promise<Pushed> {
  const { definition, path } = file
  const common = { name: definition.name, file: path, refusal: null }
  const draft = endpoint === undefined ? 'created' : isSaved(endpoint, definition) ? 'unchanged' : 'changed'
  const willPublish =
    options.publish &&
    (!(await isPublished(endpoint, definition, endpoints)) ||
      (await hasOtherModules(endpoint, endpoints, imported)))
  if (endpoints === null || options.dryRun) {
    const next = (endpoint?.published?.version ?? 0) + 1
    return {
      ...common,
      id: endpoint?.id ?? null,
      draft,
      publishedVersion: willPublish ? next : null,
      active: willPublish && next === 1 ? true : (endpoint?.active ?? false),
    }
  }
  let saved = endpoint
  try {
    saved = await save(definition, endpoint, endpoints, options.by)
    const { id, draftRevision } = saved
    if (willPublish) saved = await endpoints.publish(id, options.by, options.note, draftRevision, imported)
    const publishedVersion = willPublish ? (saved.published?.version ?? null) : null
    return { ...common, id, draft, publishedVersion, active: saved.active }
  } catch (problem) {
    if (!(problem instanceof Problem) || isNotWritable(problem)) throw problem
    const { id = null, active = false } = saved ?? {}
    const isSavedNow = saved !== endpoint || draft === 'unchanged'
    const found = { draft: isSavedNow ? draft : 'refused', publishedVersion: null } as const
    return { ...common, id, ...found, active, refusal: problem.message }
  }
}

/** Whether the published version already equals the file. The draft may be another. */
async function isPublished(
  endpoint: Endpoint | undefined,
  definition: EndpointDefinition,
  endpoints: Pick<Endpoints, 'version'> | null,
): Promise<boolean> {
  if (endpoint === undefined || endpoint.published === null || endpoints === null) return false
  if (!endpoint.hasUnpublishedChanges) return isSaved(endpoint, definition)
  const published = await endpoints.version(endpoint.id, endpoint.published.version)
  return isSame(published.definition, definition)
}

/** Whether the published version keeps other modules than those that the script would import now. */
async function hasOtherModules(
  endpoint: Endpoint | undefined,
  endpoints: Pick<Endpoints, 'modulesOf'> | null,
  imported: readonly PublishedModule[],
): Promise<boolean> {
  if (endpoint?.published == null || endpoints === null) return false
  const kept = await endpoints.modulesOf(endpoint.id, endpoint.published.version)
  const named = (modules: readonly PublishedModule[]) =>
    modules.map(({ name, version }) => `${name}@${version}`).sort()
  return !isDeepStrictEqual(named(kept), named(imported))
}

/** Whether the draft already equals the file. */
const isSaved = ({ draft }: Endpoint, definition: EndpointDefinition): boolean => isSame(draft, definition)

const isSame = (stored: EndpointDefinition, definition: EndpointDefinition): boolean =>
  isDeepStrictEqual({ ...stored, script: plainScript(stored.script) }, definition)

/** The store refuses the draft when it was saved by another request since `endpoint` was read. */
async function save(
  definition: EndpointDefinition,
  endpoint: Endpoint | undefined,
  endpoints: PushTarget['endpoints'],
  by: string,
): Promise<Endpoint> {
  if (endpoint === undefined) return endpoints.create(definition, by)
  if (isSaved(endpoint, definition)) return endpoint
  return endpoints.saveDraft(endpoint.id, definition, by, endpoint.draftRevision)
}

/** Names and routes that occur in two files. The fault is reported for the later file. */
function repeatedParts(files: readonly EndpointFile[]): FileFault[] {
  const names = new Map<string, EndpointFile>()
  const routes = new Map<string, EndpointFile>()
  return files.flatMap((file) => {
    const { name, method, path } = file.definition
    const route = routeKeyOf(file.definition)
    const namesake = names.get(fold(name))
    const holder = route === null ? undefined : routes.get(route)
    names.set(fold(name), namesake ?? file)
    if (route !== null) routes.set(route, holder ?? file)
    const faults: FileFault[] = []
    if (namesake !== undefined) faults.push(faultAt(file, 'name', nameTaken(name, heldBy(namesake))))
    if (holder !== undefined) {
      const other = { ...heldBy(holder), part: 'draft' } as const
      faults.push(faultAt(file, 'path', routeTaken(`${method} ${path}`, other)))
    }
    return faults
  })
}

const heldBy = ({ path, definition: { name } }: EndpointFile) => ({ id: path, name })

type Route = {
  /** Null for a script that only schedules run. */
  readonly route: string | null
  readonly endpoint: Endpoint
  readonly part: 'draft' | 'published version'
}

async function routesOf(
  stored: readonly Endpoint[],
  { version }: Pick<Endpoints, 'version'>,
): Promise<readonly Route[]> {
  const routes: Route[] = stored.map((endpoint) => ({
    route: routeKeyOf(endpoint.draft),
    endpoint,
    part: 'draft',
  }))
  for (const endpoint of stored) {
    // Otherwise the published version has the route of the draft.
    if (endpoint.published === null || !endpoint.hasUnpublishedChanges) continue
    const { definition } = await version(endpoint.id, endpoint.published.version)
    routes.push({ route: routeKeyOf(definition), endpoint, part: 'published version' })
  }
  return routes
}

/** A route that the draft of the same endpoint already has is not a conflict. */
function takenRoute({ file, endpoint }: Push, routes: readonly Route[]): FileFault[] {
  const { method, path } = file.definition
  const route = routeKeyOf(file.definition)
  if (route === null || (endpoint !== undefined && routeKeyOf(endpoint.draft) === route)) return []
  const holder = routes.find((other) => other.route === route && other.endpoint.id !== endpoint?.id)
  if (holder === undefined) return []
  const { id, draft } = holder.endpoint
  return [faultAt(file, 'path', routeTaken(`${method} ${path}`, { id, name: draft.name, part: holder.part }))]
}

function routeKeyOf(definition: Pick<EndpointDefinition, 'method' | 'path'>): string | null {
  const route = routeOf(definition)
  return route === null ? null : `${route.method} ${route.pathKey}`
}

const faultAt = (file: EndpointFile, member: string, { code, message }: Problem): FileFault => ({
  code,
  message,
  at: placeOf(file.yaml.document, [member]),
  file: file.path,
  text: file.text,
})
