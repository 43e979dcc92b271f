/**
 * The path below which callers see this service: what a trusted proxy says that it has removed, or the setting `basePath`.
 * Pages need it nowhere, because they load everything by relative addresses; it is for addresses that leave the service.
 */
import type { FastifyInstance } from 'fastify'
import { isBasePath } from '../kernel/addresses/base-path.ts'
import { proxyCheck } from './connections/connection-places.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Such as `/travel`; empty at the root of a host. */
    readonly pathPrefix: string
  }
}

export type PrefixDeps = {
  /** Such as `/travel`. */
  readonly basePath?: string | undefined
  /**
   * Addresses and ranges of proxies, separated by commas. Their X-Forwarded-For and X-Forwarded-Prefix are believed, and the
   * limit of connections per address does not apply to them.
   */
  readonly trustedProxies?: string | undefined
}

export function knowPathPrefix(server: FastifyInstance, { basePath = '', trustedProxies }: PrefixDeps): void {
  const isProxy = proxyCheck(trustedProxies)
  server.decorateRequest('pathPrefix', {
    getter() {
      const told = this.raw.headers['x-forwarded-prefix']
      if (told === undefined || !isProxy(this.raw.socket.remoteAddress)) return basePath
      const prefix = String(told).replace(/\/$/, '')
      return prefix === '' || isBasePath(prefix) ? prefix : basePath
    },
  })
}
