/**
 * A PostgreSQL server for tests: the one that TRIPFOLIO_TEST_POSTGRES names, or one of the npm packages. All processes of a run
 * of tests share one server, which the runner stops; a test file that runs alone has its own. Each test takes a database of
 * its own (`testDatabase`).
 */
import { randomBytes } from 'node:crypto'
import { after, type TestContext } from 'node:test'
import { Client } from 'pg'
import { ask, startServer } from './server-process.ts'
import { sharedServer } from './shared-server.ts'

export { ask, type RunningServer, startServer, untilRows } from './server-process.ts'

export type TestDatabase = { readonly url: string; readonly drop: () => Promise<void> }

/**
 * Creates an empty database. Dropping it ends the connections that are still open.
 *
 * @param test drops the database when it ends; without it the caller does
 * @param like a database to copy, to which nothing is connected
 */
export async function testDatabase(
  test?: Pick<TestContext, 'after'>,
  like?: TestDatabase,
): Promise<TestDatabase> {
  const server = await serverOfRun()
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = like === undefined ? 'template1' : new URL(like.url).pathname.slice(1)
  // Half as dear as the default, which writes every page into the log of the server.
  await askServer(server, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const drop = async () => {
    // The databases of a server that was stopped went with it.
    if (isServerStopped) return
    await askServer(server, `drop database if exists ${name} with (force)`)
  }
  test?.after(drop)
  return { url: url.href, drop }
}

/** Ends the connections that hold an advisory lock in this database; other tests hold locks in databases of the same server. */
export const endLockHolders = (url: string) =>
  ask(
    url,
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
     and database = (select oid from pg_database where datname = current_database())`,
  )

let known: Promise<string> | undefined
let stopOwn: (() => Promise<void>) | undefined

let isServerStopped = false
let haveTestsEnded = false

/** The connection that makes and drops databases: a new one for each statement would cost the server half as much again. */
let kept: Promise<Client> | undefined

async function askServer(server: string, sql: string): Promise<void> {
  if (haveTestsEnded) {
    await ask(server, sql)
    return
  }
  kept ??= connect(server)
  await (await kept).query(sql)
}

async function connect(server: string): Promise<Client> {
  const connection = new Client({ connectionString: server })
  const forget = () => {
    kept = undefined
  }
  connection.on('error', forget)
  try {
    await connection.connect()
  } catch (cause) {
    forget()
    throw cause
  }
  return connection
}

// On the level of the file, so that it runs when all tests have ended.
after(async () => {
  isServerStopped = stopOwn !== undefined
  haveTestsEnded = true
  try {
    await (await kept)?.end()
  } finally {
    await stopOwn?.()
  }
})

/** The URL of the server's maintenance database. */
function serverOfRun(): Promise<string> {
  return (known ??= findOrStart())
}

async function findOrStart(): Promise<string> {
  const given = process.env.TRIPFOLIO_TEST_POSTGRES
  if (given) return given
  const ofRun = process.env.TEST_FIXTURES
  if (ofRun !== undefined) return sharedServer(ofRun)
  const server = await startServer()
  stopOwn = server.stop
  return server.url
}
