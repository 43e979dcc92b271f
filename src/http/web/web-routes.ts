/**
 * Serves the explorer (`/explore`) and the console (`/console`): two pages, and their hashed files under `/app`. The files are
 * those of `npm run build`, compressed there. They are loaded by relative addresses, so that a proxy may offer the service below
 * any path. Both pages keep what they show in the fragment of the address, so no path below
 * them exists.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { contentSecurityPolicy } from './content-security-policy.ts'

export type WebDeps = {
  /** Where the browsers of operators call the identity provider. */
  readonly signInOrigins?: readonly string[]
  /** The folder of the built files; by default console/dist. */
  readonly webFolder?: string | undefined
}

const builtFolder = fileURLToPath(new URL('../../../console/dist/', import.meta.url))

const YEAR_SECONDS = 31_536_000

const hidden = { schema: { hide: true } }

export async function webRoutes(
  server: FastifyInstance,
  { signInOrigins = [], webFolder = builtFolder }: WebDeps,
): Promise<void> {
  if (!existsSync(webFolder)) return sayHowToBuild(server)
  // What the plugin refuses, such as a path that leads out of the folder, does not exist to a caller.
  server.setErrorHandler((error: { readonly statusCode?: number }, _request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode >= 500) throw error
    reply.callNotFound()
  })
  await server.register(fastifyStatic, {
    root: webFolder,
    prefix: '/app/',
    wildcard: true,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: 1000 * YEAR_SECONDS,
    // Only hashed files are answered by their address; the pages have their own.
    allowedPath: (path, _root, request) => hashedFile.test(path) || isPage(request.url),
    decorateReply: true,
    setHeaders: (reply) => {
      reply.header('x-content-type-options', 'nosniff')
    },
  })
  for (const [address, file, origins] of [
    ['/explore', 'explore.html', []],
    ['/console', 'console.html', signInOrigins],
  ] as const) {
    const policy = contentSecurityPolicy(origins)
    server.get(address, hidden, (request, reply) => {
      const [path = '', query] = request.url.split(/(?=\?)/)
      // The page loads its files by addresses relative to its own.
      if (path.endsWith('/')) return reply.redirect(`..${address}${query ?? ''}`)
      return page(reply, policy).sendFile(file, { immutable: false, maxAge: 0, cacheControl: false })
    })
  }
}

const hashedFile = /^\/assets\/\w[\w.-]*$/

/** The plugin asks for the files that routes send, too. */
const isPage = (url: string): boolean => !/^\/app\//i.test(url)

const page = (reply: FastifyReply, policy: string): FastifyReply =>
  reply.headers({
    'content-security-policy': policy,
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })

const notBuilt = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Not built · Tripfolio</title></head>
<body>
<h1>The explorer and the console are not built yet</h1>
<p>Run <code>npm run build</code> in the folder of Tripfolio and start the service again. The API works without them.</p>
</body>
</html>
`

function sayHowToBuild(server: FastifyInstance): void {
  for (const address of ['/explore', '/console']) {
    server.get(address, hidden, (_request, reply) =>
      page(reply.code(503), contentSecurityPolicy()).type('text/html; charset=utf-8').send(notBuilt),
    )
  }
}
