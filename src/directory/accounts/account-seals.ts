/**
 * Decides which seals of accounts hold in a store. A store without the mark of a key has plain seals. The first service that
 * has a key seals every account with it and leaves the mark: from then on only seals with this key hold, and whoever has
 * another key, or none, can change no account. Only `replaceKey` gives the store another key.
 */
import type { Kysely, Transaction } from 'kysely'
import { Problem } from '../../kernel/problem.ts'
import type { AccountRow, ControlTables } from '../control-tables.ts'
import { accountsOfOtherKey } from '../problems.ts'
import { seal, unseal } from '../secrets/sealed-box.ts'
import {
  faultOf,
  isKeyed,
  keyedSeal,
  plainSeal,
  type SealedContent,
  type SealFault,
  type SealingKey,
  sealingKeyOf,
} from './account-seal.ts'
import { holderOf, type ReadHolder } from './key-holder.ts'

/** Called for every look-up that finds a row whose seal does not hold. */
export type OnRefusedAccount = (accountId: string, fault: SealFault) => void

/** What holds within one transaction. */
export type SealsInTransaction = {
  /** With which key the store is sealed: with none, with that of this process, or with one that it does not have. */
  readonly key: 'none' | 'own' | 'other'
  readonly faultOf: (row: SealedContent & Pick<AccountRow, 'seal'>) => SealFault | null
  /** @throws Problem DIR206 when the store is sealed with another key */
  readonly sealOf: (row: SealedContent) => string
}

export type AccountSeals = {
  /** To be called before the first look-up. */
  readonly begin: (db: Kysely<ControlTables>) => Promise<void>
  readonly readHolder: ReadHolder
  readonly within: (db: Kysely<ControlTables>) => Promise<SealsInTransaction>
  /**
   * For a service that starts: its key becomes the key of the store, unless another key has sealed an account.
   *
   * @throws Problem DIR206 when the store has another one
   */
  readonly adoptKey: (db: Kysely<ControlTables>) => Promise<void>
  /** The key of this process becomes the key of the store, whatever it was: every account needs a new seal then. */
  readonly replaceKey: (transaction: Transaction<ControlTables>) => Promise<void>
}

/** @param openKey is called when a key is first needed; undefined or a thrown Problem means that there is none */
export function createAccountSeals(
  openKey: () => Buffer | undefined,
  onRefused: OnRefusedAccount = () => undefined,
): AccountSeals {
  let opened: OwnKey | null | undefined
  const own = (): OwnKey | null => {
    if (opened === undefined) opened = open(openKey)
    return opened
  }
  const faultIn = (row: SealedContent & Pick<AccountRow, 'seal'>, acceptsPlain: boolean) =>
    faultOf(row, isKeyed(row.seal) ? (own()?.sealing ?? null) : null, acceptsPlain)
  let acceptsPlain = true

  const within = async (db: Kysely<ControlTables>): Promise<SealsInTransaction> => {
    const mark = await readMark(db)
    if (mark === undefined) return { key: 'none', faultOf: (row) => faultIn(row, true), sealOf: plainSeal }
    const key = own()
    const isOwn = key !== null && unseal(key.secret, MARK, mark) !== undefined
    return {
      key: isOwn ? 'own' : 'other',
      faultOf: (row) => faultIn(row, false),
      sealOf: (row) => {
        if (!isOwn) throw accountsOfOtherKey()
        return keyedSeal(row, key.sealing)
      },
    }
  }

  return {
    begin: async (db) => {
      acceptsPlain = (await readMark(db)) === undefined
    },
    readHolder: (row, column, wanted) => {
      // An index has a copy of the hash, which may lead to another row.
      const fault = row[column] === wanted ? faultIn(row, acceptsPlain) : 'altered'
      if (fault === null) return holderOf(row)
      onRefused(row.id, fault)
      return undefined
    },
    within,
    adoptKey: async (db) => {
      acceptsPlain = await db.transaction().execute(async (transaction) => {
        const { key } = await within(transaction)
        if (key === 'own') return false
        const adopted = own()
        if (adopted === null) return key === 'none'
        await sealFirst(transaction, adopted.sealing, { isMarked: key === 'other' })
        await writeMark(transaction, adopted.secret)
        return false
      })
    },
    replaceKey: async (transaction) => {
      const key = own()
      if (key !== null) await writeMark(transaction, key.secret)
    },
  }
}

type OwnKey = { readonly secret: Buffer; readonly sealing: SealingKey }

function open(openKey: () => Buffer | undefined): OwnKey | null {
  try {
    const secret = openKey()
    return secret === undefined ? null : { secret, sealing: sealingKeyOf(secret) }
  } catch (problem) {
    if (problem instanceof Problem) return null
    throw problem
  }
}

/**
 * Seals the rows whose plain seals hold. Others stay refused, and so do all plain ones once any row has a keyed seal: a mark that
 * was lost must not make them good.
 */
async function sealFirst(
  transaction: Transaction<ControlTables>,
  key: SealingKey,
  { isMarked }: { readonly isMarked: boolean },
): Promise<void> {
  const rows = await transaction.selectFrom('accounts').selectAll().execute()
  const hasOthers = rows.some((row) => isMarked || faultOf(row, key, false) === 'other-key')
  if (hasOthers) throw accountsOfOtherKey()
  if (rows.some((row) => isKeyed(row.seal))) return
  for (const row of rows) {
    if (faultOf(row, null, true) === null) await writeSeal(transaction, row.id, keyedSeal(row, key))
  }
}

export async function writeSeal(
  transaction: Transaction<ControlTables>,
  id: string,
  sealed: string,
): Promise<void> {
  await transaction.updateTable('accounts').set({ seal: sealed }).where('id', '=', id).execute()
}

/** The mark is a known text that the key has sealed for this name. */
const MARK = 'account seals\n'
const PURPOSE = 'accounts'

async function readMark(db: Kysely<ControlTables>): Promise<Uint8Array | undefined> {
  const found = db.selectFrom('key_checks').select('sealed').where('purpose', '=', PURPOSE)
  return (await found.executeTakeFirst())?.sealed
}

async function writeMark(transaction: Transaction<ControlTables>, secret: Buffer): Promise<void> {
  const sealed = seal(secret, MARK, 'tripfolio')
  await transaction
    .insertInto('key_checks')
    .values({ purpose: PURPOSE, sealed })
    .onConflict((conflict) => conflict.column('purpose').doUpdateSet({ sealed }))
    .execute()
}
