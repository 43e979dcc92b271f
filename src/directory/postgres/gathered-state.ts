/**
 * What requests need of the store, read from the database in every request, so that a change on one node holds on every node
 * from the next request on. The look-ups of one turn of the event loop are one query, which begins after all of them: so it
 * sees every change that was committed before any of their requests came.
 */
import type { DatabasePool } from '../../postgres/connect.ts'
import { HOLDER_COLUMNS, type HolderRow, holderOf, type KeyHolder } from '../accounts/key-holder.ts'
import type { HashColumn, LatestState } from '../database.ts'
import { toParameter } from './postgres-dialect.ts'
import type { StoreWatch } from './store-watch.ts'

type Answer = {
  readonly revision: number
  readonly holders: { readonly [Column in HashColumn]: ReadonlyMap<string, KeyHolder> }
}

type Batch = {
  readonly hashes: { readonly [Column in HashColumn]: Set<string> }
  readonly answer: PromiseWithResolvers<Answer>
}

/** Has a row even when no account matches. */
const QUERY = {
  name: 'look-ups',
  text: `select latest.revision, holders.*
    from (select coalesce((select revision from revisions where subject = 'endpoints'), 0) as revision) as latest
    left join (
      select 'key_hash' as found_by, key_hash as hash, ${HOLDER_COLUMNS.join(', ')}
      from accounts where key_hash = any($1::text[])
      union all
      select 'psk_hash', psk_hash, ${HOLDER_COLUMNS.join(', ')}
      from accounts where psk_hash = any($2::text[])
    ) as holders on true`,
}

type Row = HolderRow & {
  readonly revision: number
  readonly found_by: HashColumn | null
  readonly hash: string
}

/**
 * @param mostQueries how many queries may be under way; the look-ups of later turns wait for the first of them to end, and are
 *   gathered meanwhile
 */
export function gatherState(
  pool: DatabasePool,
  mostQueries: number,
  watch: StoreWatch,
): Pick<LatestState, 'holderBy' | 'endpointRevision'> {
  let batch: Batch | undefined
  let isTurnOver = false
  let underWay = 0

  const send = () => {
    if (batch === undefined || !isTurnOver || underWay === mostQueries) return
    const { hashes, answer } = batch
    batch = undefined
    underWay++
    ask(pool, hashes)
      .then(answer.resolve, (problem) => {
        watch.failed(problem)
        answer.reject(problem)
      })
      .finally(() => {
        underWay--
        send()
      })
  }
  const gathering = (): Batch => {
    if (batch !== undefined) return batch
    isTurnOver = false
    setImmediate(() => {
      isTurnOver = true
      send()
    })
    batch = { hashes: { key_hash: new Set(), psk_hash: new Set() }, answer: Promise.withResolvers() }
    return batch
  }
  return {
    holderBy: (column) => async (hash) => {
      const { hashes, answer } = gathering()
      hashes[column].add(hash)
      return (await answer.promise).holders[column].get(hash)
    },
    endpointRevision: async () => (await gathering().answer.promise).revision,
  }
}

async function ask(pool: DatabasePool, hashes: Batch['hashes']): Promise<Answer> {
  const values = [[...hashes.key_hash].map(toParameter), [...hashes.psk_hash].map(toParameter)]
  const { rows } = await pool.withConnection((connection) => connection.query<Row>({ ...QUERY, values }))
  const holders = { key_hash: new Map<string, KeyHolder>(), psk_hash: new Map<string, KeyHolder>() }
  for (const row of rows) if (row.found_by !== null) holders[row.found_by].set(row.hash, holderOf(row))
  return { revision: rows[0]?.revision ?? 0, holders }
}
