/**
 * Creates the HTTP server: registers the routes and what surrounds all of them. A request is checked in the order address,
 * method, credential, readiness, parameters. Use cases are parameters; this folder starts none of them.
 */
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { withoutBasePath } from '../kernel/addresses/base-path.ts'
import { type AccountRouteDeps, accountRoutes } from './account-routes.ts'
import { watchRoutes } from './allowed-methods.ts'
import { type Places, proxyCheck } from './connections/connection-places.ts'
import { type ConnectionLimits, Connections, defaultConnectionLimits } from './connections/connections.ts'
import { holdContinue } from './connections/expect-continue.ts'
import { malformedRequests } from './connections/malformed-requests.ts'
import { isHiddenFromPublic } from './connections/operator-address.ts'
import { shareAcrossOrigins } from './cross-origin.ts'
import { docsRoutes } from './docs/docs-routes.ts'
import { isDynamic, withDynamicMethods } from './dynamic/guards.ts'
import { type DynamicRouteDeps, dynamicRoutes } from './dynamic/routes.ts'
import { type StreamRouteDeps, streamRoute } from './events/stream-route.ts'
import { type WebhookRouteDeps, webhookRoutes } from './events/webhook-routes.ts'
import { type HealthRouteDeps, healthRoutes } from './health-routes.ts'
import {
  createResponseCache,
  type DataRouteDeps,
  dataRoutes,
  recordSender,
  type SendRecords,
} from './lists/data-routes.ts'
import { describeApi, type Tag } from './openapi/document.ts'
import { knowPathPrefix, type PrefixDeps } from './path-prefix.ts'
import { requestId } from './request-id.ts'
import { frameHeaders, frameRequests, openFrame, sendError } from './request-report.ts'
import { type WebDeps, webRoutes } from './web/web-routes.ts'

export type HttpLimits = ConnectionLimits & {
  /** A longer request line is refused with 414. */
  readonly requestLineBytes: number
  /** Request line and headers together; more is refused with 431. Has to exceed `requestLineBytes`. */
  readonly headerBytes: number
  /** A body that the route does not need is read and ignored up to this size; a larger one is refused with 413. */
  readonly ignoredBodyBytes: number
  /** A request has to arrive completely within this time. */
  readonly requestMs: number
  /** How many runs of scripts, each called by the one before, may stand before a request. */
  readonly mostCallDepth: number
}

export const defaultHttpLimits: HttpLimits = {
  requestLineBytes: 16 * 1024,
  headerBytes: 128 * 1024,
  ignoredBodyBytes: 64 * 1024,
  requestMs: 60_000,
  mostCallDepth: 4,
  ...defaultConnectionLimits,
}

export type ServerDeps = Omit<DataRouteDeps, 'readerOf'> &
  Omit<HealthRouteDeps, 'isClosing'> &
  Pick<AccountRouteDeps, 'rotateOwnKey'> &
  WebDeps &
  PrefixDeps & {
    readonly limits: HttpLimits
    /** Limits the open connections; without it their number is not limited. */
    readonly places?: Places
    /** Without it the server has no dynamic endpoints. */
    readonly dynamic?: DynamicRouteDeps
    /** Without it nobody is told that data changed. */
    readonly events?: Pick<WebhookRouteDeps, 'webhooks' | 'mayRegister'> &
      Pick<StreamRouteDeps, 'dataChanges' | 'streamLimits'>
    /** Routes of other folders, each in a scope of its own: their parsers, hooks and schemas affect no other routes. */
    readonly plugins?: readonly ((scope: FastifyInstance, shared: Shared) => void)[]
    /** Tags of the operations that plugins describe. */
    readonly tags?: readonly Tag[]
    /** Operators have an address of their own: the public one has neither metrics nor documents. */
    readonly hasOperatorAddress?: boolean
    /** Origins whose web pages may call the APIs of clients, or `*`; by default none. */
    readonly corsOrigins?: readonly string[]
  }

/** What routes of other folders use of this one. */
type Shared = { readonly sendRecords: SendRecords }

/** A server that is not listening yet. `close` finishes the requests in flight and ends all other connections. */
export function createServer(deps: ServerDeps): FastifyInstance {
  const { limits, observe, dynamic } = deps
  const addressOf = (target: string) => withoutBasePath(originForm(target), deps.basePath ?? '')
  const server: FastifyInstance = Fastify({
    logger: false,
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: deps.trustedProxies ?? false,
    requestTimeout: limits.requestMs,
    return503OnClosing: false,
    schemaController: describeOnly,
    rewriteUrl: ({ url }) => addressOf(url as string),
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      querystringParser: noQuery,
      // The request line has a limit of its own, and each route checks its parameters.
      maxParamLength: limits.headerBytes,
    },
    http: { maxHeaderSize: limits.headerBytes, requireHostHeader: false },
    clientErrorHandler: malformedRequests(observe, limits.headerBytes),
    frameworkErrors: (error, request, reply) => {
      openFrame(request, reply, observe)
      reply.headers({ ...frameHeaders(request), ...sharingOf(request.raw) })
      sendError(error, request, reply, observe)
    },
  })
  const connections = new Connections(server.server, {
    ...limits,
    places: deps.places,
    isProxy: proxyCheck(deps.trustedProxies),
    observe,
  })
  server.addHook('preClose', () => connections.beginDrain())
  server.addHook('onClose', async () => connections.stop())
  // Node would itself answer an unknown `Expect`, without a body.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  holdContinue(server.server, (target) => isDynamic(addressOf(target)))
  knowPathPrefix(server, deps)
  const registered = watchRoutes(server)
  const allowed = dynamic === undefined ? registered : withDynamicMethods(registered, dynamic.endpoints)
  const sharingOf = shareAcrossOrigins(server, deps.corsOrigins ?? [])
  frameRequests(server, allowed, {
    observe,
    requestLineBytes: limits.requestLineBytes,
    mostCallDepth: limits.mostCallDepth,
    connections,
    isHidden: deps.hasOperatorAddress ? isHiddenFromPublic : undefined,
  })
  describeApi(server, deps.tags)
  const lists: DataRouteDeps = { ...deps, readerOf: (socket) => connections.readerOf(socket) }
  const responses = createResponseCache()
  server.register(async (scope) => {
    dataRoutes(scope, lists, responses)
    healthRoutes(scope, { ...deps, isClosing: () => connections.isDraining })
  })
  server.register(async (scope) => {
    accountRoutes(scope, { ...deps, ignoredBodyBytes: limits.ignoredBodyBytes })
  })
  if (dynamic !== undefined) {
    server.register(async (scope) => {
      dynamicRoutes(scope, { ...dynamic, hasReference: !deps.hasOperatorAddress })
    })
  }
  const { events } = deps
  if (events !== undefined) {
    server.register(async (scope) => {
      webhookRoutes(scope, { ...deps, ...events })
      streamRoute(scope, { ...deps, ...events })
    })
  }
  const shared = { sendRecords: recordSender(lists, responses) }
  for (const plugin of deps.plugins ?? []) server.register(async (scope) => plugin(scope, shared))
  server.register(docsRoutes)
  server.register(webRoutes, deps)
  return server
}

/**
 * Schemas of routes are documentation only: the routes check what they are given, and bodies are sent as stored. Without
 * these compilers Fastify would load its own, which no route uses.
 */
const describeOnly = {
  compilersFactory: {
    buildValidator: () => () => () => true,
    buildSerializer: () => () => (body: unknown) => JSON.stringify(body),
  },
  // The declared types are those of Fastify's own compilers.
} as unknown as NonNullable<FastifyServerOptions['schemaController']>

/** A proxy may send the whole address (RFC 9112, section 3.2.2), and `OPTIONS *` means the server itself. */
function originForm(address: string): string {
  if (address.startsWith('/')) return address
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*(.*)$/i.exec(address)?.[1] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

/** Fastify's query object loses order and repetitions; the routes read the address themselves. */
function noQuery(): Record<string, never> {
  return {}
}
