/**
 * Modules: files of functions that scripts import. Each has a draft that changes and versions that do not. An endpoint keeps
 * the modules that it was published with, so no change here reaches callers before the endpoint is published again.
 */
import type { Kysely, Transaction } from 'kysely'
import { closest } from '../../kernel/closest.ts'
import { codePointLength } from '../../kernel/text.ts'
import type { Module, ModuleDraft, ModuleVersion, PublishedModule } from '../../schema/module-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables, ModuleRow, ModuleVersionRow } from '../control-tables.ts'
import { noteTooLong } from '../endpoints/problems.ts'
import {
  moduleHasChanged,
  moduleNameTaken,
  noModuleChange,
  unknownModule,
  unknownModuleVersion,
} from './problems.ts'

/** `by` is the actor of the audit entry. `revision` is that of the draft when it was read; undefined accepts any. */
export type Modules = {
  /** By name. */
  readonly list: () => Promise<readonly Module[]>
  readonly get: (name: string) => Promise<Module>
  readonly create: (name: string, draft: ModuleDraft, by: string) => Promise<Module>
  /** Saving an equal draft changes nothing and leaves no audit entry. */
  readonly saveDraft: (name: string, draft: ModuleDraft, by: string, revision?: number) => Promise<Module>
  readonly publish: (name: string, by: string, note?: string | null, revision?: number) => Promise<Module>
  /** Newest first. */
  readonly versions: (name: string) => Promise<readonly ModuleVersion[]>
  readonly version: (name: string, version: number) => Promise<ModuleVersion>
  /** The newest version when none is named; null when it is not published. */
  readonly published: (name: string, version: number | null) => Promise<PublishedModule | null>
  /** Endpoints keep the versions that they were published with. */
  readonly remove: (name: string, by: string) => Promise<void>
}

type Db = Kysely<ControlTables>

const LONGEST_NOTE = 500

export function createModules(db: Db): Modules {
  return {
    list: async () => {
      const rows = await db.selectFrom('modules').selectAll().orderBy('name').execute()
      const published = await publishedScripts(db)
      return rows.map((row) => moduleOf(row, published.get(row.id) ?? null))
    },
    get: (name) => read(db, name),
    create: (name, draft, by) => create(db, name, draft, by),
    saveDraft: (name, draft, by, revision) => saveDraft(db, name, draft, by, revision),
    publish: (name, by, note = null, revision) => publish(db, name, by, note, revision),
    versions: async (name) => {
      const { id } = await rowOf(db, name)
      const rows = await versionsOf(db, id).orderBy('version', 'desc').execute()
      return rows.map(versionOf)
    },
    version: async (name, version) => {
      const row = await rowOf(db, name)
      const found = await versionsOf(db, row.id).where('version', '=', version).executeTakeFirst()
      if (found === undefined) throw unknownModuleVersion(name, version, row.version)
      return versionOf(found)
    },
    published: async (name, version) => {
      const found = await db
        .selectFrom('modules')
        .innerJoin('module_versions', 'module_versions.module_id', 'modules.id')
        .select(['module_versions.version', 'module_versions.script'])
        .where('modules.name', '=', name)
        .$if(version !== null, (query) => query.where('module_versions.version', '=', version))
        .orderBy('module_versions.version', 'desc')
        .limit(1)
        .executeTakeFirst()
      return found === undefined ? null : { name, version: found.version, script: found.script }
    },
    remove: (name, by) => remove(db, name, by),
  }
}

const versionsOf = (db: Db, id: string) =>
  db.selectFrom('module_versions').selectAll().where('module_id', '=', id)

async function publishedScripts(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('modules')
    .innerJoin('module_versions', (join) =>
      join
        .onRef('module_versions.module_id', '=', 'modules.id')
        .onRef('module_versions.version', '=', 'modules.version'),
    )
    .select(['modules.id', 'module_versions.script'])
    .execute()
  return new Map(rows.map(({ id, script }) => [id, script]))
}

async function rowOf(db: Db, name: string): Promise<ModuleRow> {
  const row = await db.selectFrom('modules').selectAll().where('name', '=', name).executeTakeFirst()
  if (row !== undefined) return row
  const names = await db.selectFrom('modules').select('name').execute()
  throw unknownModule(
    name,
    closest(
      name,
      names.map((known) => known.name),
    ),
  )
}

async function read(db: Db, name: string): Promise<Module> {
  const row = await rowOf(db, name)
  return moduleOf(row, await publishedScript(db, row))
}

async function publishedScript(db: Db, { id, version }: ModuleRow): Promise<string | null> {
  if (version === null) return null
  const found = await versionsOf(db, id).where('version', '=', version).executeTakeFirst()
  return found?.script ?? null
}

const create = (db: Db, name: string, draft: ModuleDraft, by: string): Promise<Module> =>
  db.transaction().execute(async (transaction) => {
    const taken = await transaction
      .selectFrom('modules')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirst()
    if (taken !== undefined) throw moduleNameTaken(name)
    const id = crypto.randomUUID()
    const at = new Date().toISOString()
    await transaction
      .insertInto('modules')
      .values({
        id,
        name,
        description: draft.description,
        draft: draft.script,
        draft_revision: 1,
        draft_changed_at: at,
        draft_changed_by: by,
        version: null,
        created_at: at,
      })
      .execute()
    const after = { name, description: draft.description, length: draft.script.length }
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'module.create',
      subjectId: id,
      before: null,
      after,
    })
    return read(transaction, name)
  })

const saveDraft = (db: Db, name: string, draft: ModuleDraft, by: string, revision: number | undefined) =>
  db.transaction().execute(async (transaction) => {
    const row = await rowAtRevision(transaction, name, revision)
    const { description, script } = draft
    if (row.description === description && row.draft === script) return read(transaction, name)
    const at = new Date().toISOString()
    await transaction
      .updateTable('modules')
      .set({
        description,
        draft: script,
        draft_revision: row.draft_revision + 1,
        draft_changed_at: at,
        draft_changed_by: by,
      })
      .where('id', '=', row.id)
      .execute()
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'module.draft',
      subjectId: row.id,
      before: { revision: row.draft_revision, length: row.draft.length },
      after: { revision: row.draft_revision + 1, length: script.length },
    })
    return read(transaction, name)
  })

const publish = (db: Db, name: string, by: string, note: string | null, revision: number | undefined) =>
  db.transaction().execute(async (transaction) => {
    const length = note === null ? 0 : codePointLength(note)
    if (length > LONGEST_NOTE) throw noteTooLong(LONGEST_NOTE, length)
    const row = await rowAtRevision(transaction, name, revision)
    if (row.version !== null && (await publishedScript(transaction, row)) === row.draft) {
      throw noModuleChange(name, row.version)
    }
    const at = new Date().toISOString()
    const version = (row.version ?? 0) + 1
    await transaction
      .insertInto('module_versions')
      .values({ module_id: row.id, version, script: row.draft, published_at: at, published_by: by, note })
      .execute()
    await transaction.updateTable('modules').set({ version }).where('id', '=', row.id).execute()
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'module.publish',
      subjectId: row.id,
      before: { version: row.version },
      after: { version, ...(note !== null && { note }) },
    })
    return read(transaction, name)
  })

const remove = (db: Db, name: string, by: string): Promise<void> =>
  db.transaction().execute(async (transaction) => {
    const { id, version } = await rowOf(transaction, name)
    // The foreign key removes its versions too.
    await transaction.deleteFrom('modules').where('id', '=', id).execute()
    await recordChange(transaction, {
      at: new Date().toISOString(),
      actor: by,
      action: 'module.delete',
      subjectId: id,
      before: { name, version },
      after: null,
    })
  })

async function rowAtRevision(
  transaction: Transaction<ControlTables>,
  name: string,
  revision: number | undefined,
): Promise<ModuleRow> {
  const row = await rowOf(transaction, name)
  if (revision === undefined || revision === row.draft_revision) return row
  throw moduleHasChanged(name, revision, row.draft_revision, row.draft_changed_by)
}

const moduleOf = (row: ModuleRow, published: string | null): Module => ({
  name: row.name,
  description: row.description,
  script: row.draft,
  draftRevision: row.draft_revision,
  draftChangedAt: row.draft_changed_at,
  draftChangedBy: row.draft_changed_by,
  hasUnpublishedChanges: row.draft !== published,
  version: row.version,
  createdAt: row.created_at,
})

const versionOf = (row: ModuleVersionRow): ModuleVersion => ({
  version: row.version,
  script: row.script,
  publishedAt: row.published_at,
  publishedBy: row.published_by,
  note: row.note,
})
