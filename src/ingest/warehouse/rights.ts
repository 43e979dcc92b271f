/** Says what the user of a warehouse may do that a transaction which only reads does not prevent. */
import type { RefreshWarning } from '../../snapshot/manifest.ts'
import type { Snapshot } from './snapshot.ts'

/** Roles that PostgreSQL has from the beginning, and whose functions and commands reach beyond the rows of a database. */
const POWERFUL_ROLES = [
  'pg_read_server_files',
  'pg_write_server_files',
  'pg_execute_server_program',
  'pg_signal_backend',
  'pg_write_all_data',
]

/** Undefined for a user who may do no more than read. The user counts as each role that it may become. */
export async function rightsBeyondReading({
  connection,
}: Pick<Snapshot, 'connection'>): Promise<RefreshWarning | undefined> {
  const { rows } = await connection.query<{ user: string; super: boolean; rights: string[] }>(
    `select session_user::text as user, bool_or(rolsuper) as super, array_remove(array[
       case when bool_or(rolcreaterole) then 'CREATEROLE' end,
       case when bool_or(rolcreatedb) then 'CREATEDB' end,
       case when bool_or(rolreplication) then 'REPLICATION' end]
       || array_agg(case when rolname = any($1) then 'membership in ' || rolname end order by rolname), null) as rights
     from pg_roles where pg_has_role(session_user, oid, 'member')`,
    [POWERFUL_ROLES],
  )
  const [found] = rows
  const rights = found?.super ? ['the rights of a superuser'] : (found?.rights ?? [])
  if (found === undefined || rights.length === 0) return undefined
  return {
    kind: 'rights-beyond-reading',
    message: `User '${found.user}' of the warehouse may do more than read: it has ${rights.join(', ')}, and so have the queries of a mapping and of views. Name a user in the URL that has only CONNECT, USAGE and SELECT`,
  }
}
