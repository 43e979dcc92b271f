/** Raises the revision of a subject in the transaction of a change: one number tells readers whether to read it again. */
import { type Kysely, sql } from 'kysely'
import type { ControlTables } from '../control-tables.ts'

/**
 * @param by how many changes there are
 * @returns the new revision; the first change of a subject makes it 1
 */
export async function raiseRevision(
  db: Kysely<ControlTables>,
  subject: ControlTables['revisions']['subject'],
  by = 1,
): Promise<number> {
  const { revision } = await db
    .insertInto('revisions')
    .values({ subject, revision: by })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({ revision: sql<number>`revisions.revision + ${by}` }),
    )
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}
