/** Divides the OpenAPI document by who reads it: clients call some operations, operators the others. */
import { operatorRoles } from '../../kernel/user.ts'

/** The parts of a document that are divided. */
export type Described = {
  readonly openapi?: string
  readonly info: Readonly<Record<string, unknown>>
  readonly servers?: readonly { readonly url: string }[]
  readonly tags?: readonly { readonly name: string }[]
  readonly paths?: Readonly<Record<string, object>>
  readonly components?: Readonly<Record<string, unknown>>
}

type SomeOperation = {
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

export type Audience = 'clients' | 'operators'

/** All other tags are for operators. */
const clientTags = new Set(['Records', 'Service account', 'Events', 'Version 1', 'Dynamic endpoints'])

const roles = operatorRoles.map((role) => `\`${role}\``).join(', ')

const operatorOverview = `
For those who run this server. Administration takes a token in \`Authorization: Bearer\` with one of the roles ${roles}: the answer
403 of each operation names those that are enough, and [a table](/docs/guides/reference/roles) has them all. The routes of
*Operation* need no token. The [guides](/docs/guides) show how to operate the service. The operations of clients have a
[page of their own](/docs).
`.trim()

/** The operations of one audience, with the tags and the security schemes that these use. */
export function documentFor(document: Described, audience: Audience): Described {
  const isOwn = (tag: string) => clientTags.has(tag) === (audience === 'clients')
  const paths: Record<string, object> = {}
  const schemes = new Set<string>()
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    const own = Object.entries(item as Readonly<Record<string, SomeOperation>>).filter(([, { tags = [] }]) =>
      tags.some(isOwn),
    )
    if (own.length === 0) continue
    paths[path] = Object.fromEntries(own)
    for (const [, { security = [] }] of own) {
      for (const scheme of security.flatMap(Object.keys)) schemes.add(scheme)
    }
  }
  const described = (document.components?.securitySchemes ?? {}) as Readonly<Record<string, unknown>>
  return {
    ...document,
    info:
      audience === 'clients'
        ? document.info
        : { ...document.info, title: 'Tripfolio operator API', description: operatorOverview },
    tags: (document.tags ?? []).filter(({ name }) => isOwn(name)),
    paths,
    components: {
      ...document.components,
      // In the order of the document: the API key is the first field of Authorize.
      securitySchemes: Object.fromEntries(Object.entries(described).filter(([name]) => schemes.has(name))),
    },
  }
}
