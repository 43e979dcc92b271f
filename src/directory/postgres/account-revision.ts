/**
 * A number that grows with every change of the accounts that requests have to see, in the transaction of the change. A
 * trigger raises it, so that no change is missed, not even one that somebody makes by hand. Uses of accounts leave it.
 */
import { type Kysely, type Migration, sql } from 'kysely'
import { controlMigrations } from '../migrations/control-migrations.ts'
import { STORE_SCHEMA } from './store-pools.ts'

export const accountRevision: Migration = {
  up: async (db: Kysely<unknown>) => {
    await sql`create table account_revision (revision bigint not null)`.execute(db)
    await sql`insert into account_revision values (0)`.execute(db)
    const schema = sql.id(STORE_SCHEMA)
    await sql`create function raise_account_revision() returns trigger language plpgsql as $$
      begin
        update ${schema}.account_revision set revision = revision + 1;
        return null;
      end $$`.execute(db)
    await sql`create trigger raise_account_revision
      after insert or delete or truncate
        or update of id, name, client_number, key_hash, psk_hash, active, locked, expires_at
      on accounts for each statement execute function raise_account_revision()`.execute(db)
  },
}

/** The seal is one of the columns that requests see. */
export const accountSealsInRevision: Migration = {
  up: async (db: Kysely<unknown>) => {
    await controlMigrations['0017-account-seals']?.up(db)
    await sql`drop trigger raise_account_revision on accounts`.execute(db)
    await sql`create trigger raise_account_revision
      after insert or delete or truncate
        or update of id, name, client_number, key_hash, psk_hash, active, locked, expires_at, seal
      on accounts for each statement execute function raise_account_revision()`.execute(db)
  },
}
