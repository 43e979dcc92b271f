/**
 * The operations on accounts. Each change is one durable transaction together with its audit entry; a key or psk is
 * returned once, by the operation that made it, and only its hash is stored.
 */
import type { Kysely } from 'kysely'
import { closest } from '../../kernel/closest.ts'
import { type AuditEntry, changesOf, recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { ambiguousAccount, unknownAccount } from '../problems.ts'
import {
  ACCOUNT_COLUMNS,
  type Account,
  type AccountChange,
  type AccountDraft,
  accountOf,
  checkDraft,
  isUsable,
} from './account.ts'
import type { AccountSeals } from './account-seals.ts'
import {
  type AccountUsageDay,
  type AccountUsageTotal,
  readUsage,
  readUsageTotals,
  type UsageDays,
} from './account-usage.ts'
import { generateApiKey, hashApiKey } from './api-key.ts'
import { changeAccount, changeRow } from './change-account.ts'
import { generatePsk, hashPsk } from './psk.ts'
import { type CheckedAccounts, sealAccount, sealAllAccounts, verifyAccounts } from './seal-accounts.ts'
import { changeAccountRow, insertAccount } from './sealed-rows.ts'

export type IssuedKey = {
  readonly account: Account
  /** The plain key, which is shown only once. */
  readonly apiKey: string
}

export type IssuedPsk = {
  readonly account: Account
  /** The plain psk, which is shown only once. */
  readonly psk: string
}

/** The answer of specification 2.8. */
export type RotatedKey = {
  readonly id: string
  readonly name: string
  readonly apiKey: string
  readonly rotatedAt: string
}

/**
 * `by` is the actor of the audit entry. Every change but a removal or a seal refuses a row that does not match its seal (DIR205),
 * and a store that is sealed with another key (DIR206).
 */
export type Accounts = {
  readonly create: (draft: AccountDraft, by: string) => Promise<IssuedKey>
  /** By client, then name. */
  readonly list: () => Promise<readonly Account[]>
  /** By full id, by an unambiguous beginning of it, or by exact name if only one account has it. */
  readonly find: (reference: string) => Promise<Account>
  /** Null for an unknown id. */
  readonly byId: (id: string) => Promise<Account | null>
  /** A change that changes nothing leaves no audit entry. */
  readonly change: (id: string, change: AccountChange, by: string) => Promise<Account>
  readonly rotate: (id: string, by: string) => Promise<IssuedKey>
  /** Switching to the state an account already has changes nothing and leaves no audit entry. */
  readonly setActive: (id: string, active: boolean, by: string) => Promise<Account>
  readonly setLocked: (id: string, locked: boolean, by: string) => Promise<Account>
  /** A previous psk of the account is refused from the next request. Its API key stays as it is. */
  readonly issuePsk: (id: string, by: string) => Promise<IssuedPsk>
  /** Removing the psk of an account that has none changes nothing and leaves no audit entry. */
  readonly removePsk: (id: string, by: string) => Promise<Account>
  /** The holder of a key replaces it; `null` when the key is unknown, replaced or not usable, and for a psk. */
  readonly rotateOwnKey: (currentKeyHash: string) => Promise<RotatedKey | null>
  /**
   * Removes an account for good, in whatever state it is: its key and psk are refused from the next request, and its name is
   * free. The trail keeps what it was.
   */
  readonly remove: (id: string, by: string) => Promise<Account>
  /** Reads every account and compares it with its seal. */
  readonly verify: () => Promise<CheckedAccounts>
  /**
   * Accepts a row as it stands, after an operator has looked at it. One that matches stays as it is.
   *
   * @throws Problem DIR207 when it names another client than the trail
   */
  readonly seal: (id: string, by: string) => Promise<Account>
  /** Accepts all rows, and makes the key of this process the key of their seals. @returns how many did not match */
  readonly sealAll: (by: string) => Promise<number>
  /** For a service that starts. @throws Problem DIR206 */
  readonly adoptKey: () => Promise<void>
  /** Changes of one account, oldest first; also of one that was removed. */
  readonly history: (id: string) => Promise<readonly AuditEntry[]>
  /** Oldest first; days without requests are left out. */
  readonly usage: (id: string, days: UsageDays) => Promise<readonly AccountUsageDay[]>
  /** The accounts with requests on these days, in no order. */
  readonly usageTotals: (days: UsageDays) => Promise<readonly AccountUsageTotal[]>
}

export const createAccounts = (db: Kysely<ControlTables>, seals: AccountSeals): Accounts => ({
  create: (draft, by) => create(db, seals, draft, by),
  list: () => list(db),
  find: (reference) => find(db, reference),
  byId: async (id) => {
    const row = await db
      .selectFrom('accounts')
      .select(ACCOUNT_COLUMNS)
      .where('id', '=', id)
      .executeTakeFirst()
    return row === undefined ? null : accountOf(row)
  },
  change: (id, change, by) => changeAccount(db, seals, id, change, by),
  rotate: (id, by) => rotate(db, seals, id, by),
  setActive: (id, active, by) => switchFlag(db, seals, id, 'active', active, by),
  setLocked: (id, locked, by) => switchFlag(db, seals, id, 'locked', locked, by),
  issuePsk: (id, by) => issuePsk(db, seals, id, by),
  removePsk: (id, by) => removePsk(db, seals, id, by),
  rotateOwnKey: (currentKeyHash) => rotateOwnKey(db, seals, currentKeyHash),
  remove: (id, by) => remove(db, id, by),
  verify: () => verifyAccounts(db, seals),
  seal: (id, by) => sealAccount(db, seals, id, by),
  sealAll: (by) => sealAllAccounts(db, seals, by),
  adoptKey: () => seals.adoptKey(db),
  history: (id) => changesOf(db, id),
  usage: (id, days) => readUsage(db, id, days),
  usageTotals: (days) => readUsageTotals(db, days),
})

async function create(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  draft: AccountDraft,
  by: string,
): Promise<IssuedKey> {
  const now = new Date()
  const checked = checkDraft(draft, now)
  const apiKey = generateApiKey()
  const id = crypto.randomUUID()
  const at = now.toISOString()
  const row = await db.transaction().execute(async (transaction) => {
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'account.create',
      subjectId: id,
      before: null,
      after: checked,
    })
    return insertAccount(transaction, await seals.within(transaction), {
      id,
      name: checked.name,
      client_number: checked.clientNumber,
      key_hash: hashApiKey(apiKey),
      active: 1,
      locked: 0,
      expires_at: checked.expiresAt,
      last_used_at: null,
      created_at: at,
      rotated_at: null,
      psk_hash: null,
      psk_issued_at: null,
      notes: checked.notes,
    })
  })
  return { account: accountOf(row), apiKey }
}

async function list(db: Kysely<ControlTables>): Promise<readonly Account[]> {
  const rows = await db
    .selectFrom('accounts')
    .select(ACCOUNT_COLUMNS)
    .orderBy('client_number')
    .orderBy('name')
    .orderBy('id')
    .execute()
  return rows.map(accountOf)
}

/** The beginning of a UUID that is long enough to search for; `like` needs no escaping in these characters. */
const ID_PREFIX = /^[0-9a-f][0-9a-f-]{3,35}$/

async function find(db: Kysely<ControlTables>, reference: string): Promise<Account> {
  const id = reference.toLowerCase()
  const rows = await db
    .selectFrom('accounts')
    .select(ACCOUNT_COLUMNS)
    .where((is) => {
      const named = is('name', '=', reference)
      return ID_PREFIX.test(id) ? is.or([named, is('id', 'like', `${id}%`)]) : named
    })
    .orderBy('id')
    .execute()
  const match = rows.find((row) => row.id === id) ?? rows[0]
  if (match === undefined) throw unknownAccount(reference, closest(reference, await namesOf(db)))
  if (rows.length > 1 && match.id !== id) throw ambiguousAccount(reference, rows)
  return accountOf(match)
}

async function namesOf(db: Kysely<ControlTables>): Promise<readonly string[]> {
  const rows = await db.selectFrom('accounts').select('name').execute()
  return rows.map(({ name }) => name)
}

/** A disabled or locked account stays so: the new key is refused until an operator enables or unlocks the account. */
async function rotate(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  id: string,
  by: string,
): Promise<IssuedKey> {
  const apiKey = generateApiKey()
  const at = new Date().toISOString()
  const account = await changeRow(db, seals, id, () => ({
    columns: { key_hash: hashApiKey(apiKey), rotated_at: at },
    entry: keyChange('account.rotate', at, by, id),
  }))
  return { account, apiKey }
}

function switchFlag(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  id: string,
  flag: 'active' | 'locked',
  value: boolean,
  by: string,
): Promise<Account> {
  return changeRow(db, seals, id, (row) => {
    if (row[flag] === (value ? 1 : 0)) return undefined
    const entry = {
      at: new Date().toISOString(),
      actor: by,
      action: FLAG_ACTIONS[flag][value ? 'on' : 'off'],
      subjectId: id,
      before: { [flag]: !value },
      after: { [flag]: value },
    }
    return { columns: { [flag]: value ? 1 : 0 }, entry }
  })
}

const FLAG_ACTIONS = {
  active: { on: 'account.enable', off: 'account.disable' },
  locked: { on: 'account.lock', off: 'account.unlock' },
} as const

/** As with a rotation, a disabled or locked account stays so. */
async function issuePsk(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  id: string,
  by: string,
): Promise<IssuedPsk> {
  const psk = generatePsk()
  const at = new Date().toISOString()
  const account = await changeRow(db, seals, id, (row) => ({
    columns: { psk_hash: hashPsk(psk), psk_issued_at: at },
    entry: keyChange(row.psk_hash === null ? 'account.psk-issue' : 'account.psk-rotate', at, by, id),
  }))
  return { account, psk }
}

const removePsk = (
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  id: string,
  by: string,
): Promise<Account> =>
  changeRow(db, seals, id, (row) =>
    row.psk_hash === null
      ? undefined
      : {
          columns: { psk_hash: null, psk_issued_at: null },
          entry: keyChange('account.psk-disable', new Date().toISOString(), by, id),
        },
  )

function remove(db: Kysely<ControlTables>, id: string, by: string): Promise<Account> {
  return db.transaction().execute(async (transaction) => {
    const removed = await transaction
      .deleteFrom('accounts')
      .where('id', '=', id)
      .returning(ACCOUNT_COLUMNS)
      .executeTakeFirst()
    if (removed === undefined) throw unknownAccount(id, undefined)
    await transaction.deleteFrom('account_usage').where('account_id', '=', id).execute()
    const account = accountOf(removed)
    const { id: _, ...before } = account
    await recordChange(transaction, {
      at: new Date().toISOString(),
      actor: by,
      action: 'account.delete',
      subjectId: id,
      before,
      after: null,
    })
    return account
  })
}

/** Null when the old hash is gone or the account is not usable. The transaction has the write lock before it reads. */
function rotateOwnKey(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  currentKeyHash: string,
): Promise<RotatedKey | null> {
  return db.transaction().execute(async (transaction) => {
    const [apiKey, now] = [generateApiKey(), new Date()]
    const rotatedAt = now.toISOString()
    const wanted = { column: 'key_hash', value: currentKeyHash } as const
    const changed = await changeAccountRow(transaction, await seals.within(transaction), wanted, (row) =>
      isUsable(accountOf(row), now) ? { key_hash: hashApiKey(apiKey), rotated_at: rotatedAt } : undefined,
    )
    if (changed === undefined || changed.after === changed.before) return null
    const { id, name } = changed.after
    await recordChange(transaction, keyChange('account.rotate', rotatedAt, `account:${id}`, id))
    return { id, name, apiKey, rotatedAt }
  })
}

/** Records only that a key or psk was replaced or removed: the rest is secret. */
const keyChange = (action: string, at: string, actor: string, subjectId: string): AuditEntry => ({
  at,
  actor,
  action,
  subjectId,
  before: null,
  after: null,
})
