/**
 * Opens what a thread needs to answer queries for records: the snapshots and the engine. Besides the tests, this is the only
 * place that names an engine.
 */
import type { OpenRecords } from '../automation/host/query-records.ts'
import { engineDatabase } from '../config/engine-database.ts'
import { type Config, groupLimits, queryLimits, workBudget } from '../config/load-config.ts'
import { createMemoryEngine } from '../engine/memory/memory-engine.ts'
import type { Observe } from '../observe/observation.ts'
import { type Answer, type AnswerDeps, answer, type DataRequest } from '../read/answer.ts'
import { createAnswerChanges, createKeptLists } from '../read/changes/answer-changes.ts'
import { openChangeReaders } from '../read/changes/change-readers.ts'
import { createWarmChanges } from '../read/changes/warm-changes.ts'
import { type WarmBudget, type WarmClient, warmUp } from '../read/warm-up.ts'
import type { StepSource } from '../snapshot/changes/step-store.ts'
import type { OpenCollectionFiles } from '../snapshot/files/collection-files.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { openStepFiles } from '../snapshot/open-snapshots.ts'
import type { ServedPlacedSnapshot } from '../snapshot/postgres/placed-catalogue.ts'
import type { Catalogue, ServedSnapshot, Snapshot } from '../snapshot/snapshot.ts'
import { SnapshotCatalogue } from '../snapshot/snapshot-catalogue.ts'
import type { ManifestSource } from '../snapshot/snapshot-source.ts'
import { openRecords } from './query-records.ts'

/** All nodes switch within two seconds; a node notices a new snapshot within one. */
const PREPARE_SHARED_MS = 700

/** Warming up an engine on PostgreSQL compiles its code; the records of all clients would not stay in the server's memory. */
const MOST_WARM_CLIENTS = 10

export type ReadServicesParts = {
  readonly config: Config
  readonly observe: Observe
  readonly openFiles: OpenCollectionFiles
  /** Where the manifests are read from. */
  readonly manifests: ManifestSource
  /** The id of the control store. */
  readonly installation: () => Promise<string>
  /** In which threads share who asks for changes; a single thread needs none. */
  readonly changeReaders?: SharedArrayBuffer | undefined
}

export type ReadServices = {
  readonly catalogue: Pick<Catalogue, 'current'>
  readonly answer: (request: DataRequest) => Promise<Answer>
  /** Answers what changed in a list. */
  readonly changes: (request: DataRequest) => Promise<Answer>
  /** What is known of changes between versions. */
  readonly steps: StepSource
  /** For scripts. */
  readonly records: OpenRecords
  /** Answers from this snapshot from now on. Null when this snapshot or a later one is current already. */
  readonly announce: (manifest: Manifest) => Promise<Announced | null>
  /** Ends the connections. */
  readonly close: () => Promise<void>
}

type Announced = {
  /** Makes the first requests of these clients as fast as later ones. */
  readonly warmUp: (clients: readonly WarmClient[]) => Promise<void>
}

/** An engine with the catalogue of its snapshots. */
type Parts<Served extends ServedSnapshot> = Pick<AnswerDeps<Served>, 'engine'> & {
  readonly catalogue: Catalogue<Served> & { readonly pinned: () => Served | null }
  readonly announce: (manifest: Manifest) => Promise<Served | null>
  readonly warmBudget: (announced: Served) => WarmBudget
  readonly steps: StepSource
  readonly close: () => Promise<void>
}

export async function openReadServices(parts: ReadServicesParts): Promise<ReadServices> {
  return parts.config.engine === 'postgres'
    ? readServicesOf(await openPostgres(parts.config), parts)
    : readServicesOf(openMemory(parts), parts)
}

function readServicesOf<Served extends ServedSnapshot>(
  { engine, catalogue, announce, warmBudget, steps, close }: Parts<Served>,
  { config, observe, changeReaders }: ReadServicesParts,
): ReadServices {
  const { unknownLabels } = config
  const deps = { engine, catalogue, limits: queryLimits(config), unknownLabels, observe }
  const kept = { lists: createKeptLists(), readers: openChangeReaders(changeReaders) }
  const changes = createAnswerChanges({ ...deps, steps }, kept.lists)
  return {
    catalogue,
    answer: (request) => answer(request, deps),
    changes: (request) => {
      kept.readers.note(request.principal.clientNumber, request.list)
      return changes(request)
    },
    steps,
    records: openRecords(deps),
    announce: async (manifest) => {
      const announced = await announce(manifest)
      if (announced === null) return null
      return {
        warmUp: (clients) =>
          warmUp(announced, clients, warmBudget(announced), deps, createWarmChanges({ steps }, kept)),
      }
    },
    close,
  }
}

function openMemory(parts: ReadServicesParts): Parts<Snapshot> {
  const { config, observe, openFiles, manifests } = parts
  const files = openStepFiles(config, observe, parts.installation)
  const catalogue = new SnapshotCatalogue(manifests, observe, openFiles)
  let newest: Manifest | null = null
  return {
    catalogue,
    engine: createMemoryEngine({ budget: workBudget(config), groupLimits: groupLimits(config) }),
    announce: async (manifest) => {
      if (catalogue.current()?.id === manifest.id) return null
      newest = manifest
      // Only a share of the budget, so that files of the snapshot in use are not evicted.
      const mostMs = config.snapshots === undefined ? undefined : PREPARE_SHARED_MS
      await catalogue.prepare(manifest, { mostBytes: config.memoryBudget / 4, mostMs })
      return newest === manifest ? catalogue.announce(manifest) : null
    },
    warmBudget: (snapshot) => ({
      mostBytes: config.memoryBudget,
      mostClients: Infinity,
      byteLength: (clientNumber, stored) => snapshot.byteLength(clientNumber, stored),
    }),
    steps: files.steps,
    close: async () => files.close(),
  }
}

/** Its code is loaded here, because most services do not need it. */
async function openPostgres(config: Config): Promise<Parts<ServedPlacedSnapshot>> {
  const { openPostgresEngine } = await import('../engine/postgres/postgres-engine.ts')
  const { openPool } = await import('../postgres/connect.ts')
  const { PlacedCatalogue } = await import('../snapshot/postgres/placed-catalogue.ts')
  const { tableStepSource } = await import('../snapshot/postgres/step-table.ts')
  const url = engineDatabase(config)
  const lookups = openPool({
    url,
    use: 'tripfolio snapshots',
    connections: LOOKUP_CONNECTIONS,
    answerMs: LOOKUP_MS,
  })
  const catalogue = new PlacedCatalogue(lookups)
  const { cpuMs } = workBudget(config)
  const engine = openPostgresEngine({
    ...{ url, connections: config.engineConnections, cpuMs },
    groupLimits: groupLimits(config),
  })
  return {
    catalogue,
    engine,
    announce: async (manifest) =>
      catalogue.current()?.id === manifest.id ? null : catalogue.announce(manifest),
    warmBudget: () => ({ mostBytes: 0, mostClients: MOST_WARM_CLIENTS, byteLength: () => 0 }),
    steps: tableStepSource(lookups),
    close: async () => {
      await Promise.all([engine.close(), lookups.close()])
    },
  }
}

/** Where the rows of a client are is looked up once per snapshot and thread. */
const LOOKUP_CONNECTIONS = 2

/** A server that says nothing for so long counts as away. */
const LOOKUP_MS = 5000
