/**
 * What requests need of the store, as it is now: a change on one node holds on every node from the next request on. The
 * requests of one turn of the event loop share one query, which is sent after all of them came: so it sees every change that
 * was committed before. It asks for revisions. Accounts are remembered under theirs, and read again when it has changed.
 */
import type { PoolClient } from 'pg'
import type { DatabasePool } from '../../postgres/connect.ts'
import { keepConnection } from '../../postgres/kept-connection.ts'
import {
  type HashColumn,
  HOLDER_COLUMNS,
  type HolderRow,
  type KeyHolder,
  type ReadHolder,
} from '../accounts/key-holder.ts'
import type { LatestState } from '../database.ts'
import { REVISION_COLUMNS, type Revisions, readRevisions } from './latest-revisions.ts'
import { toParameter } from './postgres-dialect.ts'
import type { StoreWatch } from './store-watch.ts'

type Hashes = { readonly [Column in HashColumn]: ReadonlySet<string> }
type Holders = { readonly [Column in HashColumn]: Map<string, KeyHolder> }
type Latest = { readonly revisions: Revisions; readonly holders: Holders }

type Batch = {
  readonly hashes: { readonly [Column in HashColumn]: Set<string> }
  readonly latest: PromiseWithResolvers<Latest>
}

type GatheredState = Pick<LatestState, 'holderBy' | 'endpointRevision'> & { readonly close: () => void }

/**
 * For so many turns after an answer no query is sent: callers who were just answered send their next requests in them, and
 * share a query with those who waited. Larger batches cost less than more of them.
 */
const PAUSE_TURNS = 2

/** One query is under way at a time; requests that come meanwhile share the next one. */
export function gatherState(pool: Pick<DatabasePool, 'hold'>, watch: StoreWatch): GatheredState {
  const connection = keepConnection(pool)
  const readers = new Map<HashColumn, ReadHolder>()
  const read = rememberHolders(readers)
  let batch: Batch | undefined
  let isTurnOver = false
  let isAsking = false

  const send = () => {
    if (batch === undefined || !isTurnOver || isAsking) return
    const { hashes, latest } = batch
    batch = undefined
    isAsking = true
    connection
      .run((client) => read(client, hashes))
      .then(latest.resolve, (problem: unknown) => {
        watch.failed(problem)
        latest.reject(problem)
      })
      .finally(() => afterTurns(PAUSE_TURNS, free))
  }
  const free = () => {
    isAsking = false
    send()
  }
  const gathering = (): Batch => {
    if (batch !== undefined) return batch
    isTurnOver = false
    setImmediate(() => {
      isTurnOver = true
      send()
    })
    batch = { hashes: { key_hash: new Set(), psk_hash: new Set() }, latest: Promise.withResolvers() }
    return batch
  }
  return {
    holderBy: (column, readHolder) => {
      readers.set(column, readHolder)
      return (hash) => {
        const { hashes, latest } = gathering()
        hashes[column].add(hash)
        return latest.promise.then(({ holders }) => holders[column].get(hash))
      }
    },
    endpointRevision: () => gathering().latest.promise.then(({ revisions }) => revisions.endpoints),
    close: connection.close,
  }
}

function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then()
  else setImmediate(afterTurns, turns - 1, then)
}

const none = (): Holders => ({ key_hash: new Map(), psk_hash: new Map() })

type Readers = ReadonlyMap<HashColumn, ReadHolder>

function rememberHolders(readers: Readers) {
  let known: { connection: PoolClient; revision: number; holders: Holders } | undefined

  return async (connection: PoolClient, hashes: Hashes): Promise<Latest> => {
    // Behind a new connection may be another server, such as one restored to an earlier day, with revisions of its own.
    if (known?.connection !== connection) known = undefined
    const missing = known === undefined ? hashes : without(hashes, known.holders)
    const answer =
      missing.key_hash.size + missing.psk_hash.size === 0
        ? { revisions: await readRevisions(connection), holders: none() }
        : await lookUp(connection, missing, readers)
    if (known !== undefined && known.revision === answer.revisions.accounts) {
      for (const column of ['key_hash', 'psk_hash'] as const)
        for (const [hash, holder] of answer.holders[column]) known.holders[column].set(hash, holder)
      return { revisions: answer.revisions, holders: known.holders }
    }
    const { revisions, holders } = missing === hashes ? answer : await lookUp(connection, hashes, readers)
    known = { connection, revision: revisions.accounts, holders }
    return { revisions, holders }
  }
}

const without = (hashes: Hashes, known: Holders): Hashes => ({
  key_hash: unknown(hashes.key_hash, known.key_hash),
  psk_hash: unknown(hashes.psk_hash, known.psk_hash),
})

const unknown = (hashes: ReadonlySet<string>, known: ReadonlyMap<string, KeyHolder>): ReadonlySet<string> =>
  new Set([...hashes].filter((hash) => !known.has(hash)))

/** Has a row even when no account matches. */
const LOOK_UP = {
  name: 'look-ups',
  text: `select latest.*, holders.*
    from (select ${REVISION_COLUMNS}) as latest
    left join (
      select 'key_hash' as found_by, key_hash as hash, ${HOLDER_COLUMNS.join(', ')}
      from accounts where key_hash = any($1::text[])
      union all
      select 'psk_hash', psk_hash, ${HOLDER_COLUMNS.join(', ')}
      from accounts where psk_hash = any($2::text[])
    ) as holders on true`,
}

type Row = HolderRow & Revisions & { readonly found_by: HashColumn | null; readonly hash: string }

/** One statement sees one state: the holders are those of the revision. */
async function lookUp(connection: PoolClient, hashes: Hashes, readers: Readers): Promise<Latest> {
  const values = [[...hashes.key_hash].map(toParameter), [...hashes.psk_hash].map(toParameter)]
  const { rows } = await connection.query<Row>({ ...LOOK_UP, values })
  const holders = none()
  for (const row of rows) {
    const holder =
      row.found_by === null ? undefined : readers.get(row.found_by)?.(row, row.found_by, row.hash)
    if (row.found_by !== null && holder !== undefined) holders[row.found_by].set(row.hash, holder)
  }
  const [{ accounts, endpoints } = { accounts: 0, endpoints: 0 }] = rows
  return { revisions: { accounts, endpoints }, holders }
}
