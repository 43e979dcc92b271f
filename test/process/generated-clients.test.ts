/**
 * Clients that common generators make from the OpenAPI document compile under strict rules, and read every record of the whole
 * service page by page.
 */
import assert from 'node:assert/strict'
import { type ExecFileException, execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { type ServingHere, serveHere } from './service-in-process.ts'

const root = join(import.meta.dirname, '../..')
const generators = join(root, 'test/generated-clients/node_modules/.bin')
const lists = ['bookings', 'invoices', 'itineraries'] as const

let folder: string
let serving: ServingHere
let key: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-generated-'))
  const data = join(folder, 'data')
  await publishDemo({ data }, { clients: 1, bookings: 120 })
  key = await createAccount(data, 'C00001', 'Generated client')
  serving = await serveHere(data)
  const document = await fetch(new URL('/openapi.json', serving.address))
  await writeFile(join(folder, 'openapi.json'), await document.text())
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
})
after(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

const runFile = promisify(execFile)

/** Runs a script of Node.js in the folder of a client. */
async function run(client: string, script: string, ...args: readonly string[]): Promise<string> {
  try {
    // Some take 3 s. One that does not end must not hold the whole run without a word.
    const options = { cwd: join(folder, client), maxBuffer: 2 ** 26, timeout: 120_000 }
    return (await runFile(process.execPath, [script, ...args], options)).stdout
  } catch (failed) {
    const { message, stdout, stderr, killed } = failed as ExecFileException & {
      readonly stdout?: string
      readonly stderr?: string
    }
    return assert.fail(`${script} ${killed ? 'did not end' : 'failed'}: ${message} ${stdout}${stderr}`)
  }
}

const configuration = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: ['node'],
    rootDir: '.',
    outDir: 'compiled',
  },
  include: ['.'],
}

/** Compiles the client with a program that uses it, and returns what the program prints. */
async function compileAndRun(client: string, program: string): Promise<unknown> {
  await writeFile(join(folder, client, 'main.ts'), program)
  await run(client, join(root, 'node_modules/typescript/lib/tsc.js'))
  const address = String(serving.address).replace(/\/$/, '')
  return JSON.parse(await run(client, 'compiled/main.js', address, key))
}

async function folderFor(client: string): Promise<void> {
  await mkdir(join(folder, client))
  await writeFile(join(folder, client, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, client, 'tsconfig.json'), JSON.stringify(configuration))
}

/** All records of each list, and the refusal of a wrong filter. */
async function expected(): Promise<unknown> {
  const ask = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(new URL(path, serving.address), { headers: { 'X-API-Key': key } })).json()) as never
  const records = await Promise.all(lists.map(async (list) => (await ask(`/api/v2/${list}`))[list]))
  assert.ok(records.every((found) => (found as readonly object[]).length > 50))
  return [...records, await ask('/api/v2/bookings?filter=nonsense')]
}

const openapiFetchProgram = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

const [baseUrl = '', key = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } })
type Schemas = components['schemas']
type Envelope = { _meta?: Schemas['QueryMeta'] }

async function everyPage<Page extends Envelope, Item>(
  read: (page: number) => Promise<Page | undefined>,
  itemsOf: (page: Page) => Item[],
): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1, last = 1; page <= last; page++) {
    const found = await read(page)
    if (found === undefined) throw new Error('The page was refused')
    items.push(...itemsOf(found))
    last = found._meta?.totalPages ?? 1
  }
  return items
}

const query = (page: number) => ({ params: { query: { $page: page, $pageSize: 50 } } })
const bookings: Schemas['Booking'][] = await everyPage(
  async (page) => (await client.GET('/api/v2/bookings', query(page))).data,
  (page) => page.bookings,
)
const invoices: Schemas['Invoice'][] = await everyPage(
  async (page) => (await client.GET('/api/v2/invoices', query(page))).data,
  (page) => page.invoices,
)
const itineraries: Schemas['Itinerary'][] = await everyPage(
  async (page) => (await client.GET('/api/v2/itineraries', query(page))).data,
  (page) => page.itineraries,
)
const { error } = await client.GET('/api/v2/bookings', { params: { query: { $filter: 'nonsense' } } })
console.log(JSON.stringify([bookings, invoices, itineraries, error]))

// Only compiled: parameters with a default may be left out.
export const accounts = () => client.GET('/api/admin/v1/accounts')
export const rotate = async (): Promise<string | undefined> =>
  (await client.POST('/api/v2/service-accounts/me/rotate-api-key')).data?.apiKey
`

const heyApiProgram = `
import { client } from './client/client.gen.js'
import { listAccounts, listBookings, listInvoices, listItineraries, rotateOwnApiKey } from './client/sdk.gen.js'
import type { Booking, Invoice, Itinerary, QueryMeta } from './client/types.gen.js'

const [baseUrl = '', key = ''] = process.argv.slice(2)
client.setConfig({ baseUrl, auth: () => key })

async function everyPage<Page extends { _meta?: QueryMeta }, Item>(
  read: (page: number) => Promise<{ data: Page }>,
  itemsOf: (page: Page) => Item[],
): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1, last = 1; page <= last; page++) {
    const { data } = await read(page)
    items.push(...itemsOf(data))
    last = data._meta?.totalPages ?? 1
  }
  return items
}

const options = (page: number) => ({ query: { $page: page, $pageSize: 50 }, throwOnError: true as const })
const bookings: Booking[] = await everyPage((page) => listBookings(options(page)), (page) => page.bookings)
const invoices: Invoice[] = await everyPage((page) => listInvoices(options(page)), (page) => page.invoices)
const itineraries: Itinerary[] = await everyPage(
  (page) => listItineraries(options(page)),
  (page) => page.itineraries,
)
const { error } = await listBookings({ query: { $filter: 'nonsense' } })
console.log(JSON.stringify([bookings, invoices, itineraries, error]))

// Only compiled: parameters with a default may be left out.
export const accounts = () => listAccounts()
export const rotate = async (): Promise<string | undefined> => (await rotateOwnApiKey()).data?.apiKey
`

describe('a generated client', () => {
  it('of openapi-typescript and openapi-fetch compiles, and reads every record', async () => {
    await folderFor('openapi-fetch')
    const generator = join(generators, 'openapi-typescript')
    await run('openapi-fetch', generator, '../openapi.json', '--output', 'schema.ts')
    assert.deepEqual(await compileAndRun('openapi-fetch', openapiFetchProgram), await expected())
  })

  it('of @hey-api/openapi-ts compiles, and reads every record', async () => {
    await folderFor('hey-api')
    await run('hey-api', join(generators, 'openapi-ts'), '--input', '../openapi.json', '--output', 'client')
    assert.deepEqual(await compileAndRun('hey-api', heyApiProgram), await expected())
  })
})
