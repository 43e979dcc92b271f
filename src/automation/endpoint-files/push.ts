/**
 * Endpoints from files into the store: created or saved as drafts, and published where that is asked for. What would be refused
 * is found before anything is changed; what others change meanwhile is refused endpoint by endpoint.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ControlStore } from '../../directory/control-store.ts'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import { nameTaken, noteTooLong, routeTaken } from '../../directory/endpoints/problems.ts'
import { pathKeyOf } from '../../directory/endpoints/text.ts'
import { Problem } from '../../kernel/problem.ts'
import { codePointLength, fold } from '../../kernel/text.ts'
import type { Endpoint, EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { type EndpointFile, type FileFault, plainScript, type ReadFiles } from './endpoint-file.ts'
import { noteWithoutPublication } from './problems.ts'
import { placeOf } from './yaml.ts'

export type Pushed = {
  readonly name: string
  /** Null for what is not created yet. */
  readonly id: string | null
  readonly draft: 'created' | 'changed' | 'unchanged' | 'refused'
  /** The version that this has published. */
  readonly publishedVersion: number | null
  /** Whether callers reach what is published. */
  readonly active: boolean
  readonly file: string
  /** Why it was refused. */
  readonly refusal: string | null
}

export type PushOptions = {
  readonly publish: boolean
  readonly note: string | null
  /** Nothing is changed, and what would be is told. */
  readonly dryRun: boolean
  readonly by: string
}

export type PushResult =
  /** Nothing was changed. */
  | { readonly faults: readonly FileFault[] }
  | {
      readonly pushed: readonly Pushed[]
      /** Definitions whose deliveries are answered with 500 until the secret is stored, which nobody notices while pushing. */
      readonly withoutSecret: readonly { readonly name: string; readonly secret: string }[]
    }

/** @param store null where there is none: nothing is changed then */
export async function pushFiles(
  { files, faults }: ReadFiles,
  store: Pick<ControlStore, 'endpoints' | 'secrets'> | null,
  options: PushOptions,
): Promise<PushResult> {
  const endpoints = store?.endpoints ?? null
  const plan = await planPush(files, endpoints)
  const found = [...faults, ...plan.faults]
  if (found.length > 0) return { faults: found }
  const pushed: Pushed[] = []
  for (const push of plan.pushes) pushed.push(await pushEndpoint(push, endpoints, options))
  const known = new Set((await store?.secrets.list())?.map(({ name }) => fold(name)))
  const withoutSecret = files.flatMap(({ definition: { name, signature } }) =>
    signature === null || known.has(fold(signature.secret)) ? [] : [{ name, secret: signature.secret }],
  )
  return { pushed, withoutSecret }
}

/** As the store takes it: here, because it would be refused only after the drafts were saved. */
const LONGEST_NOTE = 500

/** @throws Problem END146, or for a note that is too long */
export function checkNote({ note, publish }: Pick<PushOptions, 'note' | 'publish'>): void {
  if (note === null) return
  if (!publish) throw noteWithoutPublication()
  const length = codePointLength(note)
  if (length > LONGEST_NOTE) throw noteTooLong(LONGEST_NOTE, length)
}

/** A file, and the endpoint of its name that is there already. */
type Push = { readonly file: EndpointFile; readonly endpoint: Endpoint | undefined }

/** What the store would refuse of the files, as it is now. */
async function planPush(
  files: readonly EndpointFile[],
  endpoints: Pick<Endpoints, 'list' | 'version'> | null,
): Promise<{ readonly pushes: readonly Push[]; readonly faults: readonly FileFault[] }> {
  const stored = (await endpoints?.list()) ?? []
  const byName = new Map(stored.map((endpoint) => [fold(endpoint.draft.name), endpoint]))
  const pushes = files.map((file) => ({ file, endpoint: byName.get(fold(file.definition.name)) }))
  const routes = endpoints === null ? [] : await routesOf(stored, endpoints)
  return { pushes, faults: [...repeatedParts(files), ...pushes.flatMap((push) => takenRoute(push, routes))] }
}

async function pushEndpoint(
  { file, endpoint }: Push,
  endpoints: Endpoints | null,
  options: PushOptions,
): Promise<Pushed> {
  const { definition, path } = file
  const told = { name: definition.name, file: path, refusal: null }
  const draft = endpoint === undefined ? 'created' : isSaid(endpoint, definition) ? 'unchanged' : 'changed'
  const willPublish = options.publish && (draft !== 'unchanged' || hasUnpublished(endpoint))
  if (endpoints === null || options.dryRun) {
    const next = (endpoint?.published?.version ?? 0) + 1
    return {
      ...told,
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
    if (willPublish) saved = await endpoints.publish(id, options.by, options.note, draftRevision)
    const publishedVersion = willPublish ? (saved.published?.version ?? null) : null
    return { ...told, id, draft, publishedVersion, active: saved.active }
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem
    const { id = null, active = false } = saved ?? {}
    return { ...told, id, draft: 'refused', publishedVersion: null, active, refusal: problem.message }
  }
}

const hasUnpublished = (endpoint: Endpoint | undefined): boolean =>
  endpoint === undefined || endpoint.published === null || endpoint.hasUnpublishedChanges

/** Whether the draft says already what the file says. */
const isSaid = ({ draft }: Endpoint, definition: EndpointDefinition): boolean =>
  isDeepStrictEqual({ ...draft, script: plainScript(draft.script) }, definition)

/** A draft that somebody else has saved since it was looked at is refused. */
async function save(
  definition: EndpointDefinition,
  endpoint: Endpoint | undefined,
  endpoints: Endpoints,
  by: string,
): Promise<Endpoint> {
  if (endpoint === undefined) return endpoints.create(definition, by)
  if (isSaid(endpoint, definition)) return endpoint
  return endpoints.saveDraft(endpoint.id, definition, by, endpoint.draftRevision)
}

/** Two files that cannot both be what they say. The later one is told. */
function repeatedParts(files: readonly EndpointFile[]): FileFault[] {
  const names = new Map<string, EndpointFile>()
  const routes = new Map<string, EndpointFile>()
  return files.flatMap((file) => {
    const { name, method, path } = file.definition
    const route = routeOf(file.definition)
    const namesake = names.get(fold(name))
    const holder = routes.get(route)
    names.set(fold(name), namesake ?? file)
    routes.set(route, holder ?? file)
    const faults: FileFault[] = []
    if (namesake !== undefined) faults.push(faultAt(file, 'name', nameTaken(name, heldBy(namesake))))
    if (holder !== undefined) {
      const told = { ...heldBy(holder), part: 'draft' } as const
      faults.push(faultAt(file, 'path', routeTaken(`${method} ${path}`, told)))
    }
    return faults
  })
}

const heldBy = ({ path, definition: { name } }: EndpointFile) => ({ id: path, name })

type Route = {
  readonly route: string
  readonly endpoint: Endpoint
  readonly part: 'draft' | 'published version'
}

async function routesOf(
  stored: readonly Endpoint[],
  { version }: Pick<Endpoints, 'version'>,
): Promise<readonly Route[]> {
  const routes: Route[] = stored.map((endpoint) => ({
    route: routeOf(endpoint.draft),
    endpoint,
    part: 'draft',
  }))
  for (const endpoint of stored) {
    // Else it is that of the draft.
    if (endpoint.published === null || !endpoint.hasUnpublishedChanges) continue
    const { definition } = await version(endpoint.id, endpoint.published.version)
    routes.push({ route: routeOf(definition), endpoint, part: 'published version' })
  }
  return routes
}

/** What the draft of the same endpoint had already is its own. */
function takenRoute({ file, endpoint }: Push, routes: readonly Route[]): FileFault[] {
  const { method, path } = file.definition
  const route = routeOf(file.definition)
  if (endpoint !== undefined && routeOf(endpoint.draft) === route) return []
  const holder = routes.find((other) => other.route === route && other.endpoint.id !== endpoint?.id)
  if (holder === undefined) return []
  const { id, draft } = holder.endpoint
  return [faultAt(file, 'path', routeTaken(`${method} ${path}`, { id, name: draft.name, part: holder.part }))]
}

const routeOf = ({ method, path }: Pick<EndpointDefinition, 'method' | 'path'>): string =>
  `${method} ${pathKeyOf(path)}`

const faultAt = (file: EndpointFile, member: string, { code, message }: Problem): FileFault => ({
  code,
  message,
  at: placeOf(file.yaml.document, [member]),
  file: file.path,
  text: file.text,
})
