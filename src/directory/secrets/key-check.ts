/**
 * Tells whether a key is the one of the service. The store holds a check value, a known text sealed under that key: it is made
 * with the first sealed secret or when the service starts, and only a service that starts without any secret replaces it.
 */
import type { Kysely } from 'kysely'
import type { ControlTables } from '../control-tables.ts'
import { otherKeyThanOfService, secretCannotBeOpened } from './problems.ts'
import { seal, unseal } from './sealed-box.ts'
import { signingSecretName } from './sealed-names.ts'

/** The name that the check value is sealed for. No secret has it: names of secrets have no line ends. */
const NAME = 'key check\n'

/** @throws Problem DIR462 when the store belongs to another key */
export async function refuseOtherKey(db: Kysely<ControlTables>, key: Buffer, name: string): Promise<void> {
  const check = await readCheck(db)
  if (check === undefined) {
    const others = await secretsNotOpenedBy(db, key)
    if (others.length > 0) throw otherKeyThanOfService(name)
    await writeCheck(db, key)
  } else if (unseal(key, NAME, check) === undefined) throw otherKeyThanOfService(name)
}

/**
 * For a service that starts: without secrets, its key becomes the key of the store.
 *
 * @throws Problem DIR560 when another key has sealed the secrets
 */
export async function adoptKey(db: Kysely<ControlTables>, key: Buffer): Promise<void> {
  const check = await readCheck(db)
  if (check !== undefined && unseal(key, NAME, check) !== undefined) return
  const [first] = check === undefined ? await secretsNotOpenedBy(db, key) : await allSecrets(db)
  if (first !== undefined) throw secretCannotBeOpened(first.name)
  await writeCheck(db, key)
}

async function readCheck(db: Kysely<ControlTables>): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('key_checks')
    .select('sealed')
    .where('purpose', '=', 'secrets')
    .executeTakeFirst()
  return row?.sealed
}

async function writeCheck(db: Kysely<ControlTables>, key: Buffer): Promise<void> {
  const sealed = seal(key, NAME, 'tripfolio')
  await db
    .insertInto('key_checks')
    .values({ purpose: 'secrets', sealed })
    .onConflict((conflict) => conflict.column('purpose').doUpdateSet({ sealed }))
    .execute()
}

/** What the key of the service has sealed: the secrets of scripts, and those that sign webhooks. */
async function allSecrets(db: Kysely<ControlTables>) {
  const named = db.selectFrom('secrets').select(['name', 'name_key', 'sealed']).orderBy('name_key')
  const signing = await db.selectFrom('webhooks').select(['id', 'secret']).orderBy('id').execute()
  return [
    ...(await named.execute()),
    ...signing.map(({ id, secret }) => ({
      name: `webhook ${id}`,
      name_key: signingSecretName(id),
      sealed: secret,
    })),
  ]
}

/** None when the key opens one of them: that one damaged secret does not open says nothing about the key. */
async function secretsNotOpenedBy(db: Kysely<ControlTables>, key: Buffer) {
  const secrets = await allSecrets(db)
  return secrets.some((row) => unseal(key, row.name_key, row.sealed) !== undefined) ? [] : secrets
}
