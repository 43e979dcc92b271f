/**
 * Opens the stores of a data folder for a test: on files of SQLite or, once `openOnPostgres` was called, each folder with a
 * database of its own on PostgreSQL. So one test runs on both.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { after, it } from 'node:test'
import { ask, type TestDatabase, testDatabase } from '../../postgres/testing/postgres-server.ts'
import * as stores from '../open-stores.ts'

let isOnPostgres = false

export const isOnFiles = (): boolean => !isOnPostgres

/** To be called before the tests are imported. */
export function openOnPostgres(): void {
  isOnPostgres = true
}

/** For what only files can do, such as being read byte by byte. */
export const itOnFiles: typeof it = ((...test: Parameters<typeof it>) =>
  isOnPostgres ? undefined : it(...test)) as typeof it

async function placeOf(folder: string): Promise<stores.StorePlace> {
  return isOnPostgres ? { data: folder, store: await urlOf(folder) } : folder
}

export const openControlStore = async (folder: string, options: stores.ControlStoreOptions = {}) =>
  stores.openControlStore(await placeOf(folder), options)

export const openHistory = async (folder: string, options: stores.HistoryOptions = {}) =>
  stores.openHistory(await placeOf(folder), options)

/** Runs a statement by hand, past the store, as another program might. Values stand for `?`. */
export const askControlStore = (folder: string, sql: string, values: readonly SQLInputValue[] = []) =>
  askStore(stores.controlStorePath(folder), folder, sql, values)

export const askHistory = (folder: string, sql: string, values: readonly SQLInputValue[] = []) =>
  askStore(stores.historyPath(folder), folder, sql, values)

async function askStore(
  path: string,
  folder: string,
  sql: string,
  values: readonly SQLInputValue[],
): Promise<readonly Record<string, unknown>[]> {
  if (isOnPostgres) {
    let count = 0
    const url = `${await urlOf(folder)}?options=-c%20search_path%3Dtripfolio`
    return ask(
      url,
      sql.replaceAll('?', () => `$${++count}`),
      [...values],
    )
  }
  const database = new DatabaseSync(path)
  try {
    return database.prepare(sql).all(...values)
  } finally {
    database.close()
  }
}

const databases = new Map<string, Promise<TestDatabase>>()
let template: Promise<TestDatabase> | undefined

async function urlOf(folder: string): Promise<string> {
  const path = join(folder, '.')
  const known = databases.get(path)
  if (known !== undefined) return (await known).url
  mkdirSync(path, { recursive: true })
  const making = makeDatabase()
  databases.set(path, making)
  return (await making).url
}

/** To copy a database with the tables takes a tenth of the time of making them. */
async function makeDatabase(): Promise<TestDatabase> {
  await dropThose((folder) => !existsSync(folder))
  template ??= makeTemplate()
  return testDatabase(undefined, await template)
}

async function makeTemplate(): Promise<TestDatabase> {
  const database = await testDatabase()
  const opened = await stores.openStores({ data: '/nowhere', store: database.url })
  await opened.close()
  return database
}

/** The databases of folders that are gone: they lie in memory. */
async function dropThose(isDone: (folder: string) => boolean): Promise<void> {
  for (const [folder, database] of databases) {
    if (!isDone(folder)) continue
    databases.delete(folder)
    await (await database).drop()
  }
}

/** Runs the work while no change can be written into the trail. */
export async function withoutTrail(folder: string, work: () => Promise<void>): Promise<void> {
  await askControlStore(folder, 'alter table audit rename to no_audit')
  try {
    await work()
  } finally {
    await askControlStore(folder, 'alter table no_audit rename to audit')
  }
}

after(async () => {
  // A server that this file has started is gone by now.
  await dropThose(() => true).catch(() => undefined)
  await (await template)?.drop().catch(() => undefined)
})
