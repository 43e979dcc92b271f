/**
 * Chooses the snapshot that a request reads from, and knows where the rows of its clients are. Where rows are placed never
 * changes in a snapshot, so what was looked up once is kept.
 */
import type { ClientBase } from 'pg'
import type { DatabasePool } from '../../postgres/connect.ts'
import type { StoredName } from '../../schema/datasets.ts'
import type { ServedClient } from '../manifest-shape.ts'
import { clientsRetired, isUnavailable, notReadableNow, snapshotGone, snapshotRetired } from '../problems.ts'
import type { Catalogue, ServedSnapshot } from '../snapshot.ts'
import type { PlacedData, PlacedSnapshot } from './placed-data.ts'
import { RECORDS_SCHEMA } from './record-tables.ts'
import { type StoredSnapshot, validAt } from './snapshot-tables.ts'
import { snapshotOf } from './stored-snapshots.ts'

export type ServedPlacedSnapshot = PlacedSnapshot & ServedSnapshot

/** What an announcement says of a snapshot. */
export type Published = Pick<StoredSnapshot, 'id' | 'extractedAt' | 'publishedAt'>

/** The most placements that are kept of each snapshot. The oldest is forgotten first. */
const MOST_PLACEMENTS = 20_000

/** The most retained snapshots that are kept open. */
const MOST_RETAINED = 100

export class PlacedCatalogue implements Catalogue<ServedPlacedSnapshot> {
  readonly #pool: DatabasePool
  #current: ServedPlacedSnapshot | null = null
  /** Retained snapshots that were requested since the current one was announced. */
  #retained = new Map<string, Promise<ServedPlacedSnapshot>>()

  constructor(pool: DatabasePool) {
    this.#pool = pool
  }

  current(): ServedPlacedSnapshot | null {
    return this.#current
  }

  /** Each snapshot reads its own rows only, also while another one becomes current. */
  pinned(): ServedPlacedSnapshot | null {
    return this.#current
  }

  /** Makes a snapshot current for later requests. Requests that have begun finish on the previous one. */
  announce(stored: Published): ServedPlacedSnapshot {
    this.#retained = new Map()
    // One that replaces another in this process may be an earlier one, after a return to it.
    const since = this.#current === null ? new Date(stored.publishedAt) : new Date()
    this.#current = this.#open(stored, since, snapshotRetired)
    return this.#current
  }

  retained(id: string): Promise<ServedPlacedSnapshot> {
    const known = this.#retained.get(id)
    if (known !== undefined) return known
    const opening = this.#openRetained(id)
    this.#retained.set(id, opening)
    opening.catch(() => this.#retained.delete(id))
    forgetOldest(this.#retained, MOST_RETAINED)
    return opening
  }

  async #openRetained(id: string): Promise<ServedPlacedSnapshot> {
    const stored = await this.#read(`Snapshot '${id.slice(0, 60)}'`, (connection) =>
      snapshotOf(connection, id),
    )
    if (stored === null) throw snapshotGone(id)
    return this.#open(stored, new Date(stored.publishedAt), snapshotGone)
  }

  /** @param gone makes the problem of a snapshot that has been removed meanwhile */
  #open(
    { id, extractedAt, publishedAt }: Published,
    currentSince: Date,
    gone: typeof snapshotRetired,
  ): ServedPlacedSnapshot {
    const placements = new Map<string, Promise<PlacedData | null>>()
    return {
      id,
      extractedAt: new Date(extractedAt),
      publishedAt: new Date(publishedAt),
      currentSince,
      placed: (clientNumber, stored) => {
        const key = `${stored} ${clientNumber}`
        const known = placements.get(key)
        if (known !== undefined) return known
        const looking = this.#lookUp(id, clientNumber, stored).then((found) => {
          if (found === undefined) throw gone(id, clientNumber, stored)
          return found
        })
        placements.set(key, looking)
        looking.catch(() => placements.delete(key))
        forgetOldest(placements, MOST_PLACEMENTS)
        return looking
      },
      clients: async () => {
        const found = await this.#clients(id)
        if (found === null) throw clientsRetired(id)
        return found
      },
    }
  }

  /** @param what is read, for the problem while the server is away, which does not name the server to callers */
  async #read<T>(what: string, read: (connection: ClientBase) => Promise<T>): Promise<T> {
    try {
      return await this.#pool.withConnection(read)
    } catch (cause) {
      throw isUnavailable(cause) ? notReadableNow(what, cause) : cause
    }
  }

  /** Null when there is no such snapshot any more. */
  async #clients(id: string): Promise<readonly ServedClient[] | null> {
    const { rows } = await this.#read('The list of clients', (connection) =>
      connection.query({ name: 'clients of a snapshot', text: CLIENTS, values: [id] }),
    )
    if (rows.length === 0) return null
    return rows.filter(({ clientNumber }) => clientNumber !== null)
  }

  /** Null for a client that the snapshot does not know; undefined when there is no such snapshot any more. */
  async #lookUp(
    id: string,
    clientNumber: string,
    stored: StoredName,
  ): Promise<PlacedData | null | undefined> {
    const { rows } = await this.#read(`The ${stored} of client '${clientNumber}'`, (connection) =>
      connection.query({ name: 'place of a client', text: LOOK_UP, values: [id, clientNumber, stored] }),
    )
    if (rows.length === 0) return undefined
    const [{ version, generation, rows: count, elements, labels }] = rows
    if (version === null) return null
    return { clientNumber, stored, version, labels, generation, rows: count, elements }
  }
}

/** One statement, as below. A snapshot without clients has one row. */
const CLIENTS = `
  select known.client_number as "clientNumber", known.name,
    coalesce(max(data.rows) filter (where data.stored = 'bookings'), 0) as bookings,
    coalesce(max(data.rows) filter (where data.stored = 'invoices'), 0) as invoices
  from ${RECORDS_SCHEMA}.snapshots
  left join ${RECORDS_SCHEMA}.clients as known on ${validAt('sequence', 'known.')}
  left join ${RECORDS_SCHEMA}.client_data as data
    on data.client_number = known.client_number and ${validAt('sequence', 'data.')}
  where id = $1
  group by known.client_number, known.name
  order by known.client_number`

/** One statement, so that a removal between two cannot make a known client look unknown. */
const LOOK_UP = `
  select version, generation, rows, elements, labels from ${RECORDS_SCHEMA}.snapshots
  left join ${RECORDS_SCHEMA}.client_data
    on client_number = $2 and stored = $3 and ${validAt('sequence')}
  where id = $1`

function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
