/**
 * The answers of requests that carried an idempotency key, for 24 hours: a request that is sent again gets the same answer and
 * changes nothing. An answer may hold a key that is shown only once, so it is sealed under the idempotency key, which the store
 * does not have.
 */
import { createHash, hkdfSync } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { ControlTables } from '../control-tables.ts'
import { KEY_BYTES, seal, unseal } from '../secrets/sealed-box.ts'

export type KeyedRequest = {
  /** Who sends the request; others do not share its keys. */
  readonly caller: string
  readonly key: string
  /** All that the request asks for, as one text. */
  readonly content: string
}

/** `unfinished`: the change was made, but its answer is not known (yet). */
export type KeptAnswer =
  | { readonly kind: 'none' | 'unfinished' | 'other-request' }
  | { readonly kind: 'kept'; readonly answer: string }

export type KeptAnswers = {
  readonly find: (request: KeyedRequest) => Promise<KeptAnswer>
  /** Records that the change of this request is being made. */
  readonly claim: (request: KeyedRequest) => Promise<void>
  /** The same in a transaction of its own, unless the key was claimed before; false then. */
  readonly claimAlone: (request: KeyedRequest) => Promise<boolean>
  /** Takes a claim back: nothing was done. */
  readonly release: (request: KeyedRequest) => Promise<void>
  readonly keep: (request: KeyedRequest, answer: string) => Promise<void>
}

const KEPT_MS = 86_400_000

export const createKeptAnswers = (db: Kysely<ControlTables>): KeptAnswers => ({
  find: (request) => find(db, request),
  claim: (request) => write(db, request, null),
  claimAlone: (request) =>
    db.transaction().execute(async (transaction) => {
      if ((await find(transaction, request)).kind !== 'none') return false
      await write(transaction, request, null)
      return true
    }),
  release: async (request) => {
    await db.deleteFrom('kept_answers').where('key_hash', '=', keyHash(request)).execute()
  },
  keep: (request, answer) => write(db, request, seal(sealingKey(request), keyHash(request), answer)),
})

async function find(db: Kysely<ControlTables>, request: KeyedRequest): Promise<KeptAnswer> {
  const hash = keyHash(request)
  const known = db.selectFrom('kept_answers').selectAll().where('key_hash', '=', hash)
  const row = await known.where('created_at', '>', oldest()).executeTakeFirst()
  if (row === undefined) return { kind: 'none' }
  if (row.request_hash !== sha256(request.content)) return { kind: 'other-request' }
  if (row.sealed === null) return { kind: 'unfinished' }
  const answer = unseal(sealingKey(request), hash, row.sealed)
  return answer === undefined ? { kind: 'unfinished' } : { kind: 'kept', answer }
}

async function write(
  db: Kysely<ControlTables>,
  request: KeyedRequest,
  sealed: Uint8Array | null,
): Promise<void> {
  await db.deleteFrom('kept_answers').where('created_at', '<=', oldest()).execute()
  const row = {
    key_hash: keyHash(request),
    request_hash: sha256(request.content),
    created_at: new Date().toISOString(),
    sealed,
  }
  await db
    .insertInto('kept_answers')
    .values(row)
    .onConflict((conflict) => conflict.column('key_hash').doUpdateSet({ sealed }))
    .execute()
}

const oldest = (): string => new Date(Date.now() - KEPT_MS).toISOString()

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const keyHash = ({ caller, key }: KeyedRequest): string => sha256(`${caller}\0${key}`)

const sealingKey = ({ caller, key }: KeyedRequest): Buffer =>
  Buffer.from(hkdfSync('sha256', key, caller, 'kept answer', KEY_BYTES))
