/** The operations of the admin API, from the OpenAPI document of a running service. */

import { ADMIN_PREFIX } from '../../src/admin/admin-route.ts'
import type { RequiredRole } from '../../src/auth/operator-roles.ts'
import type { Json } from '../fixtures/json.ts'
import type { Admin } from './start-admin.ts'

export type Operation = {
  readonly name: string
  readonly method: string
  /** Without the prefix of the API. */
  readonly path: string
  readonly role: RequiredRole
  readonly told: Json
}

export const documentOf = async ({ url }: Admin): Promise<Json> =>
  (await fetch(new URL('/openapi.json', url))).json()

export const operationsIn = (document: Json): readonly Operation[] =>
  Object.entries<Json>(document.paths)
    .filter(([path]) => path.startsWith(ADMIN_PREFIX))
    .flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, told]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path: path.slice(ADMIN_PREFIX.length),
        role: told['x-required-role'],
        told,
      })),
    )

/** An address that names nothing. */
export const addressOf = ({ path }: Operation): string =>
  path.replaceAll('{version}', '1').replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')
