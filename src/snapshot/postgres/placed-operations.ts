/** Lists, verifies and rolls back the snapshots in PostgreSQL: for operators, as `stored-snapshots.ts` does it for a data folder. */
import type { DatabasePool } from '../../postgres/connect.ts'
import type { StoredName } from '../../schema/datasets.ts'
import { changedMeanwhile, nothingToRollBackTo, rollBackDamaged, unknownSnapshot } from '../problems.ts'
import type { SnapshotDescription, VerifiedSnapshot } from '../stored-snapshots.ts'
import type { RolledBack } from '../writing/roll-back.ts'
import { hasTables } from './publishing/lost-tables.ts'
import { goBack } from './publishing/publication.ts'
import { RECORDS_SCHEMA, recordTables } from './record-tables.ts'
import { type StoredSnapshot, validAt } from './snapshot-tables.ts'
import { allSnapshots, currentSnapshot } from './stored-snapshots.ts'

export async function describePlaced(pool: DatabasePool): Promise<readonly SnapshotDescription[]> {
  const { all, current } = await snapshotsIn(pool)
  return all.map(({ id, extractedAt, publishedAt, clients, counts, rejects }) => ({
    id,
    current: id === current?.id,
    state: 'ok',
    extractedAt,
    publishedAt,
    clients,
    ...counts,
    rejects,
  }))
}

const snapshotsIn = (pool: DatabasePool) =>
  pool.withConnection(async (connection) => ({
    all: await allSnapshots(connection),
    current: await currentSnapshot(connection),
  }))

/** Counts the rows of every client. PostgreSQL itself notices damaged pages where its data checksums are on. */
export async function verifyPlaced(pool: DatabasePool): Promise<readonly VerifiedSnapshot[]> {
  const { all } = await snapshotsIn(pool)
  const verified: VerifiedSnapshot[] = []
  for (const snapshot of all) verified.push(await verifyOne(pool, snapshot))
  return verified
}

type Place = {
  readonly clientNumber: string
  readonly stored: StoredName
  readonly generation: number
  readonly rows: number
}

async function verifyOne(
  pool: DatabasePool,
  { id, sequence, bytes }: StoredSnapshot,
): Promise<VerifiedSnapshot> {
  const { rows: places } = await pool.withConnection((connection) =>
    connection.query<Place>(
      `select client_number as "clientNumber", stored, generation, rows
       from ${RECORDS_SCHEMA}.client_data where ${validAt('$1')} order by client_number, stored`,
      [sequence],
    ),
  )
  const damaged: string[] = []
  const filled = places.filter(({ rows }) => rows > 0)
  for (const own of Map.groupBy(filled, ({ stored, generation }) => `${stored} ${generation}`).values()) {
    const counts = await rowsByClient(pool, own[0] as Place)
    for (const { clientNumber, stored, rows } of own) {
      const found = counts?.get(clientNumber) ?? 0
      if (found !== rows)
        damaged.push(`${stored} of client '${clientNumber}': ${found} rows instead of ${rows}`)
    }
  }
  return { id, files: places.length, bytes, damaged }
}

/** Null when the tables are missing. */
async function rowsByClient(
  pool: DatabasePool,
  { stored, generation }: Place,
): Promise<ReadonlyMap<string, number> | null> {
  const { all, fields, records } = recordTables(stored, generation)
  return pool.withConnection(async (connection) => {
    if (!(await hasTables(connection, all))) return null
    const counted = await connection.query(
      `select client_number, count(*)::integer as rows from ${fields}
       join ${records} using (client_number, ordinal) group by client_number`,
    )
    return new Map(counted.rows.map(({ client_number, rows }) => [client_number, rows]))
  })
}

/**
 * The caller holds the lock of refreshes. It can be lost without notice, so the switch itself refuses what happened meanwhile.
 *
 * @throws Problem SNP320 for an unknown id, SNP321 when there is no older snapshot, SNP322 when it is damaged, SNP323 when
 *   another snapshot has become current meanwhile
 */
export async function rollBackPlaced(pool: DatabasePool, wanted: string | undefined): Promise<RolledBack> {
  const { all, current } = await snapshotsIn(pool)
  const before = current?.id
  const choice = all.filter(({ id, sequence }) =>
    wanted === undefined ? current !== null && sequence < current.sequence : id === wanted,
  )
  if (wanted !== undefined && choice.length === 0) {
    throw unknownSnapshot(
      wanted,
      all.map(({ id }) => id),
    )
  }
  const damaged: string[] = []
  let first: readonly string[] = []
  for (const candidate of choice) {
    const { damaged: damages } = await verifyOne(pool, candidate)
    if (damages.length === 0) {
      const outcome = await goBack(pool, candidate.sequence, current?.sequence)
      // A refresh may have removed it meanwhile.
      if (outcome === 'not-retained') throw unknownSnapshot(candidate.id, [])
      if (outcome === 'changed') throw changedMeanwhile(before)
      return { snapshot: candidate.id, before, damaged }
    }
    if (damaged.length === 0) first = damages
    damaged.push(candidate.id)
  }
  const [newest] = damaged
  throw newest === undefined ? nothingToRollBackTo(before) : rollBackDamaged(newest, first)
}
