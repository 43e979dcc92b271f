/** The one tenant that owns everything in the store. The first call creates its id. */
import type { Kysely } from 'kysely'
import { codePointLength } from '../../kernel/text.ts'
import type { Tenant } from '../../schema/directory-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { badTenantName } from '../people/problems.ts'
import { isNotWritable } from '../problems.ts'

const FIRST_NAME = 'Tripfolio'
const LONGEST_NAME = 200

/** Of the tenant of a store that cannot be written and has no tenant yet. No tenant gets it. */
const NO_ID_YET = '00000000-0000-0000-0000-000000000000'

/** May be called within a transaction. */
export async function tenantOf(db: Kysely<ControlTables>): Promise<Tenant> {
  const tenant = await db.selectFrom('tenant').select(['id', 'name']).executeTakeFirst()
  if (tenant !== undefined) return { id: tenant.id, name: tenant.name }
  if (!db.isTransaction) return createTenant(db)
  const first = { id: crypto.randomUUID(), name: FIRST_NAME }
  await db.insertInto('tenant').values(first).execute()
  return first
}

/** Whoever only reads gets an answer from a full or read-only disk, too. */
async function createTenant(db: Kysely<ControlTables>): Promise<Tenant> {
  try {
    // Another connection may have created it meanwhile: the write lock makes that visible.
    return await db.transaction().execute(tenantOf)
  } catch (cause) {
    if (isNotWritable(cause)) return { id: NO_ID_YET, name: FIRST_NAME }
    throw cause
  }
}

/** @throws Problem DIR437 */
export async function renameTenant(db: Kysely<ControlTables>, name: string, by: string): Promise<Tenant> {
  const trimmed = name.trim()
  const length = codePointLength(trimmed)
  if (length < 1 || length > LONGEST_NAME || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(trimmed)) throw badTenantName(name)
  return db.transaction().execute(async (transaction) => {
    const before = await tenantOf(transaction)
    if (before.name === trimmed) return before
    await transaction.updateTable('tenant').set({ name: trimmed }).execute()
    await recordChange(transaction, {
      at: new Date().toISOString(),
      actor: by,
      action: 'tenant.rename',
      subjectId: before.id,
      before: { name: before.name },
      after: { name: trimmed },
    })
    return { ...before, name: trimmed }
  })
}
