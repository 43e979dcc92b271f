/** Secrets of scripts: sealed in the store by AES-256-GCM, listed without their values, opened only for a run. */
import type { Kysely } from 'kysely'
import { parseInstant } from '../../kernel/calendar.ts'
import { codePointLength, fold } from '../../kernel/text.ts'
import type { SecretDraft, SecretSummary } from '../../schema/directory-shapes.ts'
import { changedMembers, recordChange } from '../audit/audit.ts'
import type { ControlTables, SecretRow } from '../control-tables.ts'
import { checkDraft } from '../endpoints/drafts.ts'
import { raiseRevision } from '../endpoints/revisions.ts'
import { adoptKey, refuseOtherKey } from './key-check.ts'
import {
  badSecretDraft,
  badSecretName,
  newSecretWithoutValue,
  secretCannotBeOpened,
  secretExpiryIsPast,
} from './problems.ts'
import { seal, unseal } from './sealed-box.ts'

export type Secrets = {
  /** By name. */
  readonly list: () => Promise<readonly SecretSummary[]>
  /** Creates or changes a secret; a new one needs a value. */
  readonly set: (name: string, draft: SecretDraft, by: string) => Promise<SecretSummary>
  /** False when there is none. */
  readonly remove: (name: string, by: string) => Promise<boolean>
  /**
   * The value; null when the secret is unknown, inactive or expired. Names match without regard to case.
   *
   * @throws Problem DIR560 when it was sealed with another key
   */
  readonly read: (name: string) => Promise<string | null>
  /**
   * For a service that starts: `set` refuses any other key from now on.
   *
   * @throws Problem DIR560 when another key has sealed the secrets
   */
  readonly adoptKey: () => Promise<void>
}

/** @param openKey is called when a value is first sealed or opened */
export function createSecrets(db: Kysely<ControlTables>, openKey: () => Buffer): Secrets {
  let opened: Buffer | undefined
  const key = () => (opened ??= openKey())
  return {
    list: () => list(db),
    set: (name, draft, by) => set(db, key, name, draft, by),
    remove: (name, by) => remove(db, name, by),
    read: (name) => read(db, key, name),
    adoptKey: () => db.transaction().execute(async (transaction) => adoptKey(transaction, key())),
  }
}

/** Everything but the value. */
const SUMMARY_COLUMNS = ['name', 'description', 'active', 'expires_at', 'created_at', 'updated_at'] as const

async function list(db: Kysely<ControlTables>): Promise<readonly SecretSummary[]> {
  const rows = await db.selectFrom('secrets').select(SUMMARY_COLUMNS).orderBy('name_key').execute()
  return rows.map(summaryOf)
}

async function read(db: Kysely<ControlTables>, key: () => Buffer, name: string): Promise<string | null> {
  const row = await db.selectFrom('secrets').selectAll().where('name_key', '=', fold(name)).executeTakeFirst()
  if (row === undefined || row.active === 0) return null
  if (row.expires_at !== null && row.expires_at <= new Date().toISOString()) return null
  const value = unseal(key(), row.name_key, row.sealed)
  if (value === undefined) throw secretCannotBeOpened(row.name)
  return value
}

/** A secret keeps the spelling of the name that it was made with. */
async function set(
  db: Kysely<ControlTables>,
  key: () => Buffer,
  name: string,
  draft: SecretDraft,
  by: string,
): Promise<SecretSummary> {
  checkName(name)
  const now = new Date()
  const { value, ...members } = await checkMembers(name, draft, now)
  const nameKey = fold(name)
  const sealed = value === undefined ? undefined : seal(key(), nameKey, value)
  const at = now.toISOString()
  return db.transaction().execute(async (transaction) => {
    const found = transaction.selectFrom('secrets').selectAll().where('name_key', '=', nameKey)
    const before = await found.executeTakeFirst()
    if (sealed !== undefined) await refuseOtherKey(transaction, key(), name)
    const bytes = sealed ?? before?.sealed
    if (bytes === undefined) throw newSecretWithoutValue(name)
    const known = before === undefined ? newMembers : membersOf(before)
    const after = { ...known, ...members }
    const changed = changedMembers(known, after)
    if (before !== undefined && sealed === undefined && changed === undefined) return summaryOf(before)
    const columns = { sealed: bytes, ...columnsOf(after), updated_at: at }
    const row = { name, name_key: nameKey, created_at: at, ...before, ...columns }
    await transaction
      .insertInto('secrets')
      .values(row)
      .onConflict((conflict) => conflict.column('name_key').doUpdateSet(columns))
      .execute()
    await raiseRevision(transaction, 'secrets')
    // The audit entry says only that the value has changed.
    const told = sealed === undefined ? {} : { valueChanged: true }
    await recordChange(transaction, {
      at,
      actor: by,
      action: before === undefined ? 'secret.create' : 'secret.update',
      subjectId: row.name,
      before: before === undefined ? null : (changed?.before ?? {}),
      after: before === undefined ? after : { ...changed?.after, ...told },
    })
    return summaryOf(row)
  })
}

function remove(db: Kysely<ControlTables>, name: string, by: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const removed = await transaction
      .deleteFrom('secrets')
      .where('name_key', '=', fold(name))
      .returning(SUMMARY_COLUMNS)
      .executeTakeFirst()
    if (removed === undefined) return false
    await raiseRevision(transaction, 'secrets')
    await recordChange(transaction, {
      at: new Date().toISOString(),
      actor: by,
      action: 'secret.delete',
      subjectId: removed.name,
      before: membersOf(removed),
      after: null,
    })
    return true
  })
}

function checkName(name: string): void {
  const length = codePointLength(name)
  const isPrintable = !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name) && name.trim() === name
  if (length < 1 || length > 100 || !isPrintable) throw badSecretName(name)
}

async function checkMembers(name: string, draft: SecretDraft, now: Date): Promise<SecretDraft> {
  const checked = await checkDraft('SecretDraft', draft, badSecretDraft)
  if (typeof checked.expiresAt !== 'string') return checked
  const instant = parseInstant(checked.expiresAt)
  if (instant === undefined || instant <= now.getTime()) throw secretExpiryIsPast(name, checked.expiresAt)
  return { ...checked, expiresAt: new Date(instant).toISOString() }
}

type Summary = Omit<SecretRow, 'sealed' | 'name_key'>
type Members = Pick<SecretSummary, 'description' | 'isActive' | 'expiresAt'>

const newMembers: Members = { description: null, isActive: true, expiresAt: null }

const membersOf = (row: Summary): Members => ({
  description: row.description,
  isActive: row.active === 1,
  expiresAt: row.expires_at,
})

const columnsOf = ({ description, isActive, expiresAt }: Members) => ({
  description,
  active: isActive ? 1 : 0,
  expires_at: expiresAt,
})

const summaryOf = (row: Summary): SecretSummary => ({
  name: row.name,
  ...membersOf(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
