/**
 * Serves `/openapi.json`, the interactive reference at `/docs`, and the guides below it. The reference loads everything from
 * this server; a strict content security policy enforces that.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { guideAddresses } from './document.ts'

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

/** Relative to this file, not to the working directory: a service may be started anywhere. */
const docsFolder = new URL('../../../docs/how-to/', import.meta.url)

export async function docsRoutes(server: FastifyInstance): Promise<void> {
  await server.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    theme: { title: 'Tripfolio API reference' },
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', tryItOutEnabled: true },
  })
  let document: string | undefined
  server.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    document ??= JSON.stringify(server.swagger())
    return reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(document)
  })
  for (const address of Object.values(guideAddresses)) {
    const guide = readFileSync(new URL(basename(address), docsFolder), 'utf8')
    server.get(address, { schema: { hide: true } }, (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('text/markdown; charset=utf-8').send(guide),
    )
  }
  server.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'))
}
