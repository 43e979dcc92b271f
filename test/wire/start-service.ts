/** The whole service in this process, over the fixture extract: real files, real control store, real engine, real HTTP. */
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthenticator, createVersion1Authenticator } from '../../src/auth/authenticate.ts'
import { createFailures } from '../../src/auth/limits/failures.ts'
import { createRateLimiter } from '../../src/auth/limits/rate-limiter.ts'
import type { RateLimit } from '../../src/auth/limits/token-bucket.ts'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { placeControlStore } from '../../src/directory/testing/store-files.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { defaultGroupLimits, type GroupLimits } from '../../src/engine/group-set.ts'
import { createMemoryEngine } from '../../src/engine/memory/memory-engine.ts'
import { systemClock, type WorkClock } from '../../src/engine/memory/request-meter.ts'
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts'
import { unlimitedWork, type WorkBudget } from '../../src/engine/work-budget.ts'
import { createRefuseCaller } from '../../src/http/refuse-caller.ts'
import { createServer, defaultHttpLimits } from '../../src/http/server.ts'
import { runRefresh } from '../../src/ingest/cycle.ts'
import type { Observation } from '../../src/observe/observation.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import type { Admission } from '../../src/read/admission.ts'
import { type AnswerDeps, answer, type DataRequest } from '../../src/read/answer.ts'
import { createAnswerChanges } from '../../src/read/changes/answer-changes.ts'
import type { QueryErrorBody, QueryMeta, RotateApiKeyResponse } from '../../src/schema/shapes.ts'
import { fileStepSource, stepsInDataFolder } from '../../src/snapshot/changes/stored-steps.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import { rollBackPlaced } from '../../src/snapshot/postgres/placed-operations.ts'
import { tableStepSource } from '../../src/snapshot/postgres/step-table.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'
import { SnapshotCatalogue } from '../../src/snapshot/snapshot-catalogue.ts'
import { rollBack } from '../../src/snapshot/writing/roll-back.ts'
import type { SnapshotDestination } from '../../src/snapshot/writing/snapshot-writer.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makePublishedRecords } from './published-records.ts'

export type Service = {
  readonly port: number
  readonly observations: readonly Observation[]
  readonly answering: AnswerDeps & { readonly catalogue: SnapshotCatalogue }
  /** Creates an account and returns its key. */
  readonly keyOf: (clientNumber: string) => Promise<string>
  /** Creates an account with a psk, and returns its id and the psk. */
  readonly pskOf: (clientNumber: string) => Promise<{ readonly id: string; readonly psk: string }>
  readonly accounts: ControlStore['accounts']
  readonly request: (path: string, apiKey: string, init?: RequestInit) => Promise<Response>
  /** Publishes another extract, and announces it. */
  readonly publish: (extract: ExtractTables) => Promise<void>
  /** Goes back to the snapshot before, and announces it. */
  readonly rollBack: () => Promise<void>
  /** Removes all that is known of changes between snapshots. */
  readonly forgetChanges: () => Promise<void>
  readonly dataFolder: string
  readonly close: () => Promise<void>
}

type Record = { readonly clientNumber: string }

/** All members that answers of version 2 can have; tests check which ones are present. */
export type Body = RotateApiKeyResponse &
  QueryErrorBody & {
    readonly clientNumber: string
    readonly count: number
    readonly bookings: readonly Record[]
    readonly invoices: readonly Record[]
    readonly itineraries: readonly Record[]
    readonly _meta?: QueryMeta
  }

export const bodyOf = (response: Response): Promise<Body> => response.json() as Promise<Body>

type ServiceOptions = {
  readonly extract?: ExtractTables
  /** The rate limit of version 1. */
  readonly rateLimit?: RateLimit | null
  /** The clock of the limiter, in nanoseconds. */
  readonly clock?: () => bigint
  /** The work budget of the engine. */
  readonly budget?: WorkBudget
  readonly workClock?: WorkClock
  /** How much an aggregation may hold. */
  readonly groupLimits?: GroupLimits
  /** The limit on failed authentications of an address. */
  readonly failureLimit?: RateLimit | null
  readonly trustedProxies?: string
  readonly admission?: Admission
  /** Wraps the real engine. */
  readonly wrapEngine?: (engine: Engine<Snapshot>) => Engine<Snapshot>
  /** URL of the PostgreSQL of the accounts; by default they are in files. */
  readonly store?: string
}

let engineName: 'memory' | 'postgres' = 'memory'

/** Services that are started from now on have this engine. */
export const useEngine = (name: typeof engineName): void => {
  engineName = name
}

export async function startService({
  extract = fixtureExtract,
  rateLimit = null,
  clock = process.hrtime.bigint,
  budget = unlimitedWork,
  workClock = systemClock,
  groupLimits = defaultGroupLimits,
  failureLimit = null,
  trustedProxies,
  admission,
  wrapEngine = (engine) => engine,
  store: url,
}: ServiceOptions = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-wire-'))
  const [source, dataFolder] = [join(folder, 'extract'), join(folder, 'data')]
  const observations: Observation[] = []
  const observe = (observation: Observation) => observations.push(observation)
  const refresh = async (tables: ExtractTables, destination?: SnapshotDestination) => {
    await writeExtract(source, tables, 'csv')
    await runRefresh({
      source,
      dataFolder,
      destination,
      maxRejectShare: 0,
      retainSnapshots: 2,
      databaseThreads: 1,
      observe,
    })
  }
  const inMemory = async () => {
    await publishExtract({ data: dataFolder }, extract, { maxRejectShare: 0 })
    const files = new SharedFiles(dataFolder, observe)
    const catalogue = new SnapshotCatalogue(dataFolder, observe, files.open)
    await catalogue.refresh()
    const engine = wrapEngine(createMemoryEngine({ budget, clock: workClock, groupLimits }))
    const answering = { catalogue, engine, limits: defaultQueryLimits, observe }
    return {
      answering,
      catalogue,
      answer: (request: DataRequest) => answer(request, answering),
      changes: createAnswerChanges({
        ...answering,
        steps: fileStepSource(async () => stepsInDataFolder(dataFolder)),
      }),
      publish: async (tables: ExtractTables) => {
        await refresh(tables)
        await catalogue.refresh()
      },
      rollBack: async () => {
        await rollBack(dataFolder, undefined)
        await catalogue.refresh()
      },
      forgetChanges: () => rm(join(dataFolder, 'changes'), { recursive: true }),
      closeRecords: async () => undefined,
    }
  }
  const inPostgres = async () => {
    const records = await makePublishedRecords(extract, refresh)
    const publish = async (tables: ExtractTables) => {
      await refresh(tables, records.destination)
      await records.announceCurrent(catalogue)
    }
    const catalogue = await records.catalogue()
    const engine = openPostgresEngine({
      ...{ url: records.url, connections: 4, cpuMs: budget.cpuMs },
      groupLimits,
    })
    const deps = { catalogue, engine, limits: defaultQueryLimits, observe }
    return {
      get answering(): Service['answering'] {
        throw new Error('This test is about the memory engine')
      },
      catalogue,
      answer: (request: DataRequest) => answer(request, deps),
      changes: createAnswerChanges({ ...deps, steps: tableStepSource(records.pool) }),
      publish,
      rollBack: async () => {
        await rollBackPlaced(records.pool, undefined)
        await records.announceCurrent(catalogue)
      },
      forgetChanges: () =>
        records.pool.withConnection(async (connection) => {
          await connection.query('truncate tripfolio_records.steps, tripfolio_records.successions')
        }),
      closeRecords: async () => {
        await engine.close()
        await records.remove()
      },
    }
  }
  if (url === undefined) await placeControlStore(dataFolder)
  const store = await openControlStore({ data: dataFolder, store: url }, { freshness: 'turn' })
  const records = engineName === 'memory' ? await inMemory() : await inPostgres()
  const { catalogue } = records
  const server = createServer({
    answer: records.answer,
    changes: records.changes,
    admission,
    catalogue,
    authenticate: createAuthenticator(store.accounts),
    authenticateVersion1: createVersion1Authenticator(store.accounts),
    rateLimiters: { v1: createRateLimiter(rateLimit, { clock }), v2: null },
    rotateOwnKey: store.accounts.rotateOwnKey,
    observe,
    refuseCaller: createRefuseCaller(createFailures({ limit: failureLimit, observe, clock })),
    trustedProxies,
    limits: defaultHttpLimits,
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    observations,
    get answering() {
      return records.answering
    },
    keyOf: async (clientNumber) =>
      (await store.accounts.create({ clientNumber, name: `Wire ${clientNumber}` }, 'test')).apiKey,
    pskOf: async (clientNumber) => {
      const { account } = await store.accounts.create({ clientNumber, name: `Older ${clientNumber}` }, 'test')
      const { psk } = await store.accounts.issuePsk(account.id, 'test')
      return { id: account.id, psk }
    },
    accounts: store.accounts,
    request: (path, apiKey, init) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { 'X-API-Key': apiKey } }),
    publish: records.publish,
    rollBack: records.rollBack,
    forgetChanges: records.forgetChanges,
    dataFolder,
    close: async () => {
      await server.close()
      await records.closeRecords()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
