/** The secrets that an endpoint names in its definition, and as literals in `secretHeaders` of its script and of its modules. */
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { literalEntriesOf } from '../../script/script.ts'
import { secretNamesIn } from '../host/outbound/secret-names.ts'

export type NamedSecret = { readonly secret: string; readonly use: 'signatures' | 'requests' }

/** @param scripts that of the endpoint, and those of the modules that it imports */
export function namedSecrets(
  { signature }: Pick<EndpointDefinition, 'signature'>,
  scripts: readonly string[],
): readonly NamedSecret[] {
  const ofSignatures = [signature?.secret, signature?.previousSecret].filter((name) => name !== undefined)
  const templates = scripts.flatMap((script) => literalEntriesOf(script, 'secretHeaders'))
  const ofRequests = new Set(templates.flatMap(secretNamesIn))
  return [
    ...ofSignatures.map((secret) => ({ secret, use: 'signatures' }) as const),
    ...[...ofRequests].map((secret) => ({ secret, use: 'requests' }) as const),
  ]
}
