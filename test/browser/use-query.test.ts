/** What "use this query" gives is run by the tools that are at hand, against the service, and must read the same records. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import {
  KEY_PLACEHOLDER,
  type SnippetLanguage,
  snippet,
} from '../../console/src/explorer/use-query/snippets.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from '../process/accounts.ts'
import { type ServingHere, serveHere } from '../process/service-in-process.ts'

const run = promisify(execFile)

let folder: string
let serving: ServingHere
let key: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-snippets-'))
  const data = join(folder, 'data')
  await publishDemo({ data }, { clients: 1, bookings: 120 })
  key = await createAccount(data, 'C00001', 'Snippets')
  serving = await serveHere(data)
})
after(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

const parameters = {
  $filter: `isTicketed eq true and (not contains(originatingAgency, 'it''s "x" \\ $HOME €😀'))`,
  $orderby: 'recordLocator',
  $select: "recordLocator,customDataFields['Cost Centre']",
}

const codeIn = (language: SnippetLanguage) =>
  snippet(language, {
    service: String(serving.address).replace(/\/$/, ''),
    list: 'bookings',
    parameters,
  }).replaceAll(KEY_PLACEHOLDER, key)

async function expected(): Promise<readonly unknown[]> {
  const answer = await fetch(codeIn('url'), { headers: { 'X-API-Key': key } })
  const { bookings } = (await answer.json()) as { readonly bookings: readonly unknown[] }
  assert.ok(bookings.length > 10)
  return bookings
}

/** Tools that nobody has to install. */
const unlessMissing = (tool: string) => ({
  skip: spawnSync(tool, ['--version']).status === 0 ? false : `${tool} is not at hand`,
})

describe('"Use this query"', () => {
  it('gives a command of curl that reads the records', unlessMissing('curl'), async () => {
    const { stdout } = await run('sh', ['-c', codeIn('curl')], { maxBuffer: 2 ** 26 })
    assert.deepEqual((JSON.parse(stdout) as { bookings: unknown }).bookings, await expected())
  })

  it('gives a program of Python that reads the records', unlessMissing('python3'), async () => {
    const file = join(folder, 'query.py')
    await writeFile(file, `${codeIn('python')}print(json.dumps(records))\n`)
    const { stdout } = await run('python3', [file], { maxBuffer: 2 ** 26 })
    assert.deepEqual(JSON.parse(stdout.split('\n')[1] as string), await expected())
  })

  it('gives a module of JavaScript that reads the records', async () => {
    const file = join(folder, 'query.mjs')
    await writeFile(file, `${codeIn('javascript')}console.log(JSON.stringify(records))\n`)
    const { stdout } = await run(process.execPath, [file], { maxBuffer: 2 ** 26 })
    assert.deepEqual(JSON.parse(stdout.split('\n')[1] as string), await expected())
  })

  it('gives SQL of DuckDB that reads the records, once its extension httpfs has fetched them', async () => {
    const sql = codeIn('duckdb')
    const [, address = ''] = /read_json\('((?:[^']|'')*)'/.exec(sql) ?? []
    const asked = { headers: { 'X-API-Key': key } }
    const url = address.replaceAll("''", "'")
    // The extension asks for the size first.
    assert.equal((await fetch(url, { ...asked, method: 'HEAD' })).status, 200)
    const file = join(folder, 'query.ndjson')
    await writeFile(file, await (await fetch(url, asked)).text())
    const local = sql.replace(address, file).replace(/^(?:install|load) httpfs;\n/gm, '')
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const [secret = '', query = ''] = local.split(/(?<=;)\n(?=select )/)
    await connection.run(secret)
    const reader = await connection.runAndReadAll(query)
    connection.closeSync()
    const read = reader.getRowObjectsJson()
    assert.deepEqual(
      read.map(({ recordLocator }) => recordLocator),
      (await expected()).map((record) => (record as { recordLocator: string }).recordLocator),
    )
  })
})
