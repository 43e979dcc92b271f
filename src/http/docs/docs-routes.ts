/**
 * Serves `/openapi.json`, the interactive references for clients (`/docs`) and operators (`/docs/operators`), and the guides.
 * Every page loads everything from this server; a strict content security policy enforces that.
 */
import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Audience, type Described, documentFor } from './audiences.ts'
import { docsFolder, GuidePages } from './guide-pages.ts'
import { addresses, htmlPage } from './page.ts'
import { type PlacedDocument, placedDocument, placedPage } from './placed.ts'

/** Swagger UI loads icons from data: addresses. It needs no inline script and no inline style. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const hidden = { schema: { hide: true } }

export async function docsRoutes(server: FastifyInstance): Promise<void> {
  let document: PlacedDocument | undefined
  server.get('/openapi.json', hidden, ({ pathPrefix }, reply) => {
    document ??= placedDocument(server.swagger() as Described)
    return send(reply, 'application/json', document(pathPrefix))
  })
  await server.register(clientReference)
  server.get(addresses.operators, hidden, (request, reply) =>
    sendPage(request, reply, referencePage('operators')),
  )
  await server.register(guides)
  await server.register(assets)
  // Without a prefix relative: a proxy may remove one that nobody has told.
  server.get('/', hidden, ({ pathPrefix }, reply) =>
    reply.redirect(pathPrefix === '' ? addresses.clients.slice(1) : pathPrefix + addresses.clients),
  )
}

/** The plugin brings the files of Swagger UI. Its own page is replaced: it does not fit a phone and has no navigation. */
async function clientReference(server: FastifyInstance): Promise<void> {
  // The plugin refuses paths that lead elsewhere or name no file. To a caller these are addresses that do not exist.
  server.setErrorHandler((error: { readonly statusCode?: number }, _request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode >= 500) throw error
    reply.callNotFound()
  })
  server.addHook('onSend', async (request, reply, payload) => {
    if (!isHtml(reply) || reply.statusCode !== 200) return payload
    reply.header('cache-control', 'no-cache')
    return placedPage(referencePage('clients'), request)
  })
  await server.register(fastifySwaggerUi, {
    routePrefix: addresses.clients,
    staticCSP: contentSecurityPolicy,
    uiConfig: {},
  })
}

const isHtml = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/html')

const documentAddress = (audience: Audience): string => `/docs/${audience}.json`

const referencePage = (audience: Audience): string =>
  htmlPage({
    address: addresses[audience],
    title: audience === 'clients' ? 'Client API · Tripfolio' : 'Operator API · Tripfolio',
    content: '<div id="swagger-ui"></div>',
    styles: ['/docs/static/swagger-ui.css'],
    scripts: ['/docs/static/swagger-ui-bundle.js', '/docs/assets/reference.js'],
    data: { document: documentAddress(audience) },
  })

/** Readers follow links in a browser, so what is missing is a page as well. */
const missingGuide = htmlPage({
  address: addresses.guides,
  title: 'No such guide · Tripfolio',
  content: `<article class="guide">
<h1 id="no-such-guide">No such guide</h1>
<p>There is no guide at this address. <a href="${addresses.guides}">All guides</a></p>
</article>`,
})

/** Guides whose Markdown has an address, too. */
const markdownFiles = ['from-v1-to-v2.md', 'formats.md', 'querying.md', 'changes.md', 'webhooks.md']

const readDocuments = () => ({
  pages: new GuidePages(),
  markdown: markdownFiles.map((file) => ({
    file,
    text: readFileSync(new URL(`how-to/${file}`, docsFolder), 'utf8'),
  })),
  pictures: globSync('*.png', { cwd: new URL('pictures/', docsFolder) }),
})

/** Read once, however many servers a process has. */
let documents: ReturnType<typeof readDocuments> | undefined

/** The documents of the project as pages. */
async function guides(server: FastifyInstance): Promise<void> {
  documents ??= readDocuments()
  const { pages, markdown, pictures } = documents
  for (const address of [addresses.guides, `${addresses.guides}/*`]) {
    server.get(address, hidden, async (request, reply) => {
      const page = await pages.page(request.url.split('?')[0] as string)
      return sendPage(request, page === undefined ? reply.code(404) : reply, page ?? missingGuide)
    })
  }
  for (const { file, text } of markdown) {
    server.get(`/docs/${file}`, hidden, (_request, reply) => send(reply, 'text/markdown', text))
  }
  for (const file of pictures) {
    server.get(`${addresses.pictures}/${file}`, hidden, async (_request, reply) =>
      reply
        .header('cache-control', 'no-cache')
        .type('image/png')
        .send(await readFile(new URL(`pictures/${file}`, docsFolder))),
    )
  }
}

async function assets(server: FastifyInstance): Promise<void> {
  for (const [name, type] of [
    ['docs.css', 'text/css'],
    ['reference.js', 'text/javascript'],
  ] as const) {
    const text = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')
    server.get(`/docs/assets/${name}`, hidden, (_request, reply) => send(reply, type, text))
  }
  const described: Partial<Record<Audience, PlacedDocument>> = {}
  for (const audience of ['clients', 'operators'] as const) {
    server.get(documentAddress(audience), hidden, ({ pathPrefix }, reply) => {
      described[audience] ??= placedDocument(documentFor(server.swagger() as Described, audience))
      return send(reply, 'application/json', described[audience](pathPrefix))
    })
  }
}

const sendPage = (request: FastifyRequest, reply: FastifyReply, html: string): FastifyReply =>
  send(reply.header('content-security-policy', contentSecurityPolicy), 'text/html', placedPage(html, request))

const send = (reply: FastifyReply, type: string, text: string): FastifyReply =>
  reply.header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).send(text)
