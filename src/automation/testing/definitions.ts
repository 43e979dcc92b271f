/** The definition of one endpoint, for the tests of its files and of comparisons. */
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'

export const spend: EndpointDefinition = {
  name: 'Spend',
  description: '',
  category: 'Utility',
  method: 'GET',
  path: 'spend',
  requiresAuthentication: true,
  allowedRoles: [],
  allowedHosts: [],
  limits: {},
  signature: null,
  deduplication: null,
  record: 'full',
  maskedFields: [],
  schedules: [],
  script: 'Data._payload = 1\n',
}
