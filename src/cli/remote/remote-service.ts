/**
 * The admin API of a service elsewhere. A change names what the command has read: the revision of a draft, or the ETag of the
 * endpoint or secret; when it was changed in between, the service refuses with ADM125 or DIR311.
 */
import { dirname } from 'node:path'
import type { EndpointFile } from '../../automation/endpoint-files/endpoint-file.ts'
import { modulesBeside } from '../../automation/endpoint-files/module-files.ts'
import type { RecordedRun, RunReport } from '../../automation/runs/run-states.ts'
import { ambiguousEndpoint, unknownEndpoint } from '../../directory/endpoints/problems.ts'
import type { ExecutionPage } from '../../directory/history/history.ts'
import { closest } from '../../kernel/closest.ts'
import { Problem } from '../../kernel/problem.ts'
import { fold } from '../../kernel/text.ts'
import type { SecretSummary } from '../../schema/directory-shapes.ts'
import type { Endpoint, PublishedVersion } from '../../schema/endpoint-shapes.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import type { Module, ModuleVersion, PublishedModule } from '../../schema/module-shapes.ts'
import type { SampleRequest } from '../../schema/sample-request.ts'
import { AdminClient, type Place } from './admin-client.ts'
import type { EndpointService, VersionSummary } from './endpoint-service.ts'
import { remoteHolds, remoteLiveRuns, remoteSchedules } from './remote-runs.ts'

export function remoteService(place: Place): EndpointService {
  const client = new AdminClient(place)
  return {
    endpoints: remoteEndpoints(client),
    compare: async (id, from, to) => (await client.get<never>(`${endpoint(id)}/diff`, { from, to })).body,
    modules: remoteModules(client),
    secrets: remoteSecrets(client),
    schedules: remoteSchedules(client),
    holds: remoteHolds(client),
    liveRuns: remoteLiveRuns(client),
    executions: {
      list: async (filter, page) =>
        (await client.get<ExecutionPage>('/executions', { ...filter, ...page })).body,
      find: (id) => orNull(async () => (await client.get<Execution>(execution(id))).body),
      rerun: async (id, version) =>
        (await client.send<RunReport>('POST', `${execution(id)}/rerun`, { body: { version } })).body,
    },
  }
}

const endpoint = (id: string): string => `/endpoints/${encodeURIComponent(id)}`
const execution = (id: string): string => `/executions/${encodeURIComponent(id)}`
const secret = (name: string): string => `/secrets/${encodeURIComponent(name)}`

/** Runs the definition of a file on the service, as a dry run, with the modules beside it. @throws Problem DIR301 when it has no endpoint of that name */
export function remoteTrials(
  place: Place,
): (file: EndpointFile, sample: SampleRequest) => Promise<RecordedRun> {
  const client = new AdminClient(place)
  let listed: Promise<readonly Summary[]> | undefined
  return async ({ path, definition }, request) => {
    listed ??= client.all<Summary>('/endpoints')
    const { id } = found(await listed, definition.name)
    const modules = await modulesBeside(dirname(path), definition.script)
    const unsaved = modules.map(({ name, script }) => ({ name, script }))
    const sent = { body: { request, definition, ...(unsaved.length > 0 && { modules: unsaved }) } }
    const { body } = await client.send<RunReport>('POST', `${endpoint(id)}/test`, sent)
    const { response, execution, heldWrites } = body
    return { response, execution, dryRunWrites: heldWrites, status: outcomeOf(execution) }
  }
}

/** A run without a record was refused before its script ran. */
const outcomeOf = (execution: Execution | null): RecordedRun['status'] =>
  execution === null || execution.status === 'Refused' ? 'Rejected' : execution.status

type Summary = { readonly id: string; readonly name: string }

/** The answers of the admin API also list the problems of the script. */
type Checked = Endpoint & { readonly problems: unknown }

const plain = ({ problems, ...endpoint }: Checked): Endpoint => endpoint

function remoteEndpoints(client: AdminClient): EndpointService['endpoints'] {
  /** Of the endpoints as this command has read them. */
  const etags = new Map<string, string>()
  const read = async (id: string): Promise<Endpoint> => {
    const { body, etag } = await client.get<Checked>(endpoint(id))
    if (etag !== undefined) etags.set(id, etag)
    return plain(body)
  }
  const change = async (method: string, id: string, path = '', sent: object = {}): Promise<Endpoint> => {
    const { body, etag } = await client.send<Checked>(method, `${endpoint(id)}${path}`, sent)
    if (etag !== undefined) etags.set(id, etag)
    return plain(body)
  }
  const readVersion = async (id: string, version: number) =>
    (await client.get<VersionWithModules>(`${endpoint(id)}/versions/${version}`)).body
  const etagOf = async (id: string) => {
    if (!etags.has(id)) await read(id)
    return etags.get(id)
  }
  return {
    list: async (filter = {}) => {
      const found = await client.all<Summary>('/endpoints', { ...filter })
      return atATime(MOST_REQUESTS, found, ({ id }) => read(id))
    },
    find: async (reference) => read(found(await client.all<Summary>('/endpoints'), reference).id),
    create: async (definition) =>
      plain((await client.send<Checked>('POST', '/endpoints', { body: definition })).body),
    saveDraft: async (id, definition, _by, revision) =>
      change('PUT', id, '', {
        body: definition,
        ...(revision === undefined ? { ifMatch: '*' } : { query: { revision } }),
      }),
    publish: async (id, _by, note = null, revision) =>
      change('POST', id, '/publish', {
        body: { note, ...(revision !== undefined && { revision }) },
        ...(revision === undefined && { ifMatch: '*' }),
      }),
    versions: (id) => client.all<VersionSummary>(`${endpoint(id)}/versions`),
    version: async (id, version) => {
      const { modules, ...published } = await readVersion(id, version)
      return published
    },
    modulesOf: async (id, version) => (await readVersion(id, version)).modules,
    restore: async (id, version) =>
      change('POST', id, `/versions/${version}/restore`, { ifMatch: await etagOf(id) }),
    remove: async (id) => {
      await client.send('DELETE', endpoint(id), { ifMatch: await etagOf(id) })
    },
  }
}

type VersionWithModules = PublishedVersion & { readonly modules: readonly PublishedModule[] }

const MOST_REQUESTS = 4

/** Works on a few items at once, and keeps their order. */
async function atATime<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i] as Item)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
  return results
}

/** As `Endpoints.find` does: by id, an unambiguous beginning of it, or by name without regard to case. */
function found(all: readonly Summary[], reference: string): Summary {
  const id = reference.toLowerCase()
  const isPrefix = /^[0-9a-f][0-9a-f-]{3,35}$/.test(id)
  const matches = all.filter(
    (one) => fold(one.name) === fold(reference) || (isPrefix && one.id.startsWith(id)),
  )
  const match = matches.find((one) => one.id === id) ?? matches[0]
  if (match === undefined) {
    const names = all.map(({ name }) => name)
    throw unknownEndpoint(reference, closest(reference, names))
  }
  if (matches.length > 1 && match.id !== id) throw ambiguousEndpoint(reference, matches)
  return match
}

const module = (name: string): string => `/modules/${encodeURIComponent(name)}`

function remoteModules(client: AdminClient): EndpointService['modules'] {
  /** The answers also list the problems of the script. */
  type CheckedModule = Module & { readonly problems: unknown }
  const plainModule = ({ problems, ...rest }: CheckedModule): Module => rest
  const readVersion = async (name: string, version: number) =>
    (await client.get<ModuleVersion>(`${module(name)}/versions/${version}`)).body
  const read = async (name: string) => plainModule((await client.get<CheckedModule>(module(name))).body)
  return {
    list: async () => {
      const listed = await client.all<Pick<Module, 'name'>>('/modules')
      return atATime(MOST_REQUESTS, listed, ({ name }) => read(name))
    },
    create: async (name, draft) =>
      plainModule((await client.send<CheckedModule>('POST', '/modules', { body: { name, ...draft } })).body),
    saveDraft: async (name, draft, _by, revision) => {
      const known = revision === undefined ? { ifMatch: '*' } : { query: { revision } }
      return plainModule(
        (await client.send<CheckedModule>('PUT', module(name), { body: draft, ...known })).body,
      )
    },
    publish: async (name, _by, note = null, revision) => {
      const body = { note, ...(revision !== undefined && { revision }) }
      const known = revision === undefined ? { ifMatch: '*' } : {}
      return plainModule(
        (await client.send<CheckedModule>('POST', `${module(name)}/publish`, { body, ...known })).body,
      )
    },
    versions: (name) => client.all<Pick<ModuleVersion, 'version'>>(`${module(name)}/versions`),
    version: readVersion,
    published: (name, version) =>
      orNull(async () => {
        const wanted = version ?? (await read(name)).version
        if (wanted === null) return null
        const { script } = await readVersion(name, wanted)
        return { name, version: wanted, script }
      }),
  }
}

function remoteSecrets(client: AdminClient): EndpointService['secrets'] {
  return {
    list: () => client.all<SecretSummary>('/secrets'),
    // The value is what the operator wants it to be, whatever it is by now: nobody can read it first.
    set: async (name, draft) =>
      (await client.send<SecretSummary>('PUT', secret(name), { body: draft, ifMatch: '*' })).body,
    remove: async (name) => {
      const removed = await orNull(async () => {
        const { etag } = await client.get(secret(name))
        await client.send('DELETE', secret(name), { ifMatch: etag })
        return true
      })
      return removed !== null
    },
  }
}

/** Null for what the service does not have. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (problem) {
    if (problem instanceof Problem && problem.kind === 'not-found') return null
    throw problem
  }
}
