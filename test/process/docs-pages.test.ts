/** The pages under `/docs` of a whole service with a demo: what people see who look before they write code. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import vm from 'node:vm'
import Immutable from 'immutable'
import { operatorRoles } from '../../src/kernel/user.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { whileServingHere } from './service-in-process.ts'

type Parameter = {
  readonly name: string
  readonly in: string
  readonly schema: { readonly default?: unknown }
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
type Operation = {
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}
type Document = {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags: readonly { readonly name: string }[]
  readonly components: { readonly securitySchemes: object }
}

/** Swagger UI describes operations by maps of Immutable.js. */
type DescribedOperation = Immutable.Map<string, unknown>
type Tagged = Immutable.OrderedMap<string, Immutable.Map<string, Immutable.List<DescribedOperation>>>
type Config = {
  readonly url: string
  readonly validatorUrl: null
  readonly filter: boolean
  readonly plugins: readonly ((system: { readonly React: object }) => {
    readonly fn?: { readonly opsFilter: (tagged: Tagged, text: string) => Tagged }
  })[]
}

const root = await mkdtemp(join(tmpdir(), 'tripfolio-docs-'))
let address = ''
let apiKey = ''
const done = Promise.withResolvers<void>()
let served: Promise<void>

before(async () => {
  const data = join(root, 'data')
  await publishDemo({ data }, { clients: 1, bookings: 200 })
  apiKey = await createAccount(data, 'C00001', 'docs')
  const ready = Promise.withResolvers<void>()
  served = whileServingHere(data, (serving) => {
    address = serving.address
    ready.resolve()
    return done.promise
  })
  await Promise.race([ready.promise, served])
})
after(async () => {
  done.resolve()
  await served
  await rm(root, { recursive: true, force: true })
})

const read = async (path: string) => {
  const response = await fetch(new URL(path, address))
  const { status, headers } = response
  return { status, headers, text: await response.text() }
}
const readDocument = async (path: string): Promise<Document> => JSON.parse((await read(path)).text)
const operationsOf = ({ paths }: Document): readonly string[] =>
  Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))

describe('the references', () => {
  it('have each operation once: clients on one page, operators on the other', async () => {
    const [all, clients, operators] = await Promise.all(
      ['/openapi.json', '/docs/clients.json', '/docs/operators.json'].map(readDocument),
    )
    assert.ok(all && clients && operators)
    assert.deepEqual(
      [...operationsOf(clients), ...operationsOf(operators)].sort(),
      [...operationsOf(all)].sort(),
    )
    assert.deepEqual(
      clients.tags.map(({ name }) => name),
      ['Records', 'Service account', 'Events', 'Version 1', 'Dynamic endpoints'],
    )
    assert.ok(operationsOf(clients).every((name) => !name.includes('/api/admin/')))
    assert.ok(operationsOf(operators).includes('get /api/admin/v1/accounts'))
    assert.ok(operationsOf(operators).includes('get /metrics'))
    assert.deepEqual([...clients.tags, ...operators.tags], all.tags)
  })

  it('tell operators all roles, and where to find what each may do', async () => {
    const { info } = await readDocument('/docs/operators.json')
    for (const role of operatorRoles) assert.ok(info.description.includes(`\`${role}\``), role)
    const [, table = ''] = /\[a table\]\(([^)]+)\)/.exec(info.description) ?? []
    assert.match((await read(table)).text, /Roles of operators/)
  })

  it('ask for the API key first, and operators only for their token', async () => {
    const schemes = async (path: string) => Object.keys((await readDocument(path)).components.securitySchemes)
    assert.equal((await schemes('/docs/clients.json'))[0], 'apiKey')
    assert.deepEqual(await schemes('/docs/operators.json'), ['bearer'])
  })

  it('fill in values that find records', async () => {
    const { paths } = await readDocument('/docs/clients.json')
    const lists = Object.entries(paths).filter(([path]) => /^\/api\/v[12]\/\w+$/.test(path))
    assert.equal(lists.length, 6)
    for (const [path, { get }] of lists) {
      const url = new URL(path, address)
      for (const { name, in: place, schema, examples = {} } of get?.parameters ?? []) {
        const value = Object.values(examples)[0]?.value ?? schema.default
        if (place === 'query' && value !== undefined) url.searchParams.set(name, String(value))
      }
      assert.ok([...url.searchParams].length >= 3, url.href)
      const response = await fetch(url, { headers: { 'X-API-Key': apiKey } })
      const body = (await response.json()) as { readonly count?: number; readonly result?: unknown[] }
      assert.ok((body.count ?? body.result?.length ?? 0) > 0, `${url} finds nothing`)
    }
  })

  for (const [page, document] of [
    ['/docs', '/docs/clients.json'],
    ['/docs/operators', '/docs/operators.json'],
  ] as const) {
    it(`fit a phone, and load everything from this server: ${page}`, async () => {
      const { status, headers, text } = await read(page)
      assert.equal(status, 200)
      assert.match(text, /<meta name="viewport" content="width=device-width/)
      const [, named = ''] = /data-document="([^"]+)"/.exec(text) ?? []
      assert.equal(new URL(named, new URL(page, address)).pathname, document)
      assert.doesNotMatch(headers.get('content-security-policy') ?? 'unsafe', /https?:|unsafe/)
      assert.equal(headers.get('cache-control'), 'no-cache')
      assert.doesNotMatch(text, /<script>|<style>|style="/)
      const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link as string)
      assert.ok(links.length >= 7)
      for (const link of links) {
        const { pathname } = new URL(link, new URL(page, address))
        assert.equal((await read(pathname)).status, 200, link)
      }
    })
  }

  /** What the script of the page gives to Swagger UI. */
  async function configuration(): Promise<Config> {
    const { text } = await read('/docs/assets/reference.js')
    const configs: Config[] = []
    const window = {
      addEventListener: (_event: string, start: () => void) => start(),
      SwaggerUIBundle: Object.assign((config: Config) => configs.push(config), {
        presets: { apis: 'apis' },
      }),
    }
    const document = { body: { dataset: { document: './docs/clients.json' } } }
    vm.runInNewContext(text, { window, document, URL, location: { href: 'https://a.example/travel/docs#/' } })
    return configs[0] as Config
  }

  it('start Swagger UI with the document of the page, and no validator elsewhere', async () => {
    const { url, validatorUrl, filter } = await configuration()
    assert.deepEqual([url, validatorUrl, filter], ['https://a.example/travel/docs/clients.json', null, true])
  })

  it('are searched by all words of address, method, name and description', async () => {
    const { paths } = await readDocument('/docs/operators.json')
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]) =>
          Immutable.fromJS({ path, method, operation }) as unknown as DescribedOperation,
      ),
    )
    const groups = Object.groupBy(operations, (operation) =>
      String(operation.getIn(['operation', 'tags', 0])),
    )
    const tagged: Tagged = Immutable.OrderedMap(
      Object.entries(groups).map(([tag, own]) => [tag, Immutable.Map({ operations: Immutable.List(own) })]),
    )
    const { plugins } = await configuration()
    const found = (text: string) =>
      [...plugins]
        .flatMap((plugin) => [...(plugin({ React: {} }).fn?.opsFilter(tagged, text).values() ?? [])])
        .flatMap((group) => [...(group.get('operations') ?? [])])
        .map((operation) => `${operation.get('method')} ${operation.get('path')}`)
    assert.deepEqual(found('DELETE secrets'), ['delete /api/admin/v1/secrets/{name}'])
    assert.deepEqual(found('listAccounts'), ['get /api/admin/v1/accounts'])
    assert.ok(found('prometheus').includes('get /metrics'))
    assert.deepEqual(found('no such words'), [])
    assert.equal(found('').length, operations.length)
  })
})

describe('the guides', () => {
  const docs = new URL('../../docs/', import.meta.url)

  it('are pages, one for each document, whose links and anchors exist', async () => {
    const files = globSync('**/*.md', { cwd: docs })
    assert.ok(files.length > 40)
    const pages = new Map<string, string>()
    const load = async (path: string) => {
      const known = pages.get(path)
      if (known !== undefined) return known
      const { status, headers, text } = await read(path)
      assert.equal(status, 200, path)
      if (headers.get('content-type')?.startsWith('text/html')) pages.set(path, text)
      return text
    }
    for (const file of files) {
      const path = `/docs/guides/${file.replace(/(^|\/)README\.md$|\.md$/, '')}`.replace(/\/$/, '')
      const html = await load(path)
      assert.match(html, /<meta name="viewport"/)
      assert.match(html, /<h1 id=/)
      assert.doesNotMatch(html, /<script>|style="/)
      // A browser hides <email> in a sentence: the author meant text.
      assert.doesNotMatch(
        html,
        /<(?!\/|!|(?:html|head|meta|title|link|script|body|header|nav|main|article|h[1-6]|p|ul|ol|li|a|div|table|thead|tbody|tr|th|td|pre|code|em|strong|br|hr|blockquote|img)\b)/,
      )
      const article = html.slice(html.indexOf('<article'))
      for (const [, link = ''] of article.matchAll(/href="([^"]+)"/g)) {
        if (/^(https?|mailto):/.test(link)) continue
        const target = new URL(link, `http://docs${path}`)
        const text = await load(target.pathname)
        const anchor = decodeURIComponent(target.hash.slice(1))
        assert.ok(anchor === '' || text.includes(` id="${anchor}"`), `${file} links to ${link}`)
      }
    }
  })

  it('show the pictures of the documents', async () => {
    const page = '/docs/guides/tutorial/the-clients-first-hour'
    const { text } = await read(page)
    const pictures = [...text.matchAll(/<img src="([^"]+)" alt="[^"]+"/g)].map(
      ([, source]) => source as string,
    )
    assert.ok(pictures.length > 1)
    for (const picture of pictures) {
      const response = await fetch(new URL(picture, new URL(page, address)))
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png'], picture)
      assert.match(Buffer.from(await response.arrayBuffer()).toString('latin1'), /^.PNG/)
    }
    assert.equal((await read('/docs/pictures/no-such.png')).status, 404)
  })

  it('answer with a page that leads to all guides where there is none', async () => {
    const { status, headers, text } = await read('/docs/guides/no-such-guide')
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=utf-8'])
    assert.match(
      text,
      /There is no guide at this address. <a href="\.\.\/\.\.\/docs\/guides">All guides<\/a>/,
    )
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  })

  it('are found in any letter case and with a slash at the end; others are not there', async () => {
    for (const [path, status] of [
      ['/docs/guides', 200],
      ['/docs/guides/', 200],
      ['/DOCS/Guides/HOW-TO/Extract?from=mail', 200],
      ['/docs/guides/how-to/extract.md', 404],
      ['/docs/guides/how-to', 404],
      ['/docs/guides/../package', 404],
      ['/docs/guides/%2e%2e/package', 404],
    ] as const) {
      assert.equal((await read(path)).status, status, path)
    }
  })
})
