/** What the admin API says of endpoints and modules. */
import type { components, paths } from '../../../generated/api.d.ts'

type Schemas = components['schemas']

export type Endpoint = Schemas['CheckedEndpoint']
export type EndpointSummary = Schemas['EndpointSummary']
export type EndpointDefinition = Schemas['EndpointDefinition']
export type SampleRequest = Schemas['SampleRequest']
export type RunReport = Schemas['RunReport']
export type Schedule = Schemas['ScheduleStatus']

export type Module =
  paths['/api/admin/v1/modules/{name}']['get']['responses'][200]['content']['application/json']
export type ModuleDraft = Pick<Module, 'description' | 'script'>

/** A published version of either. */
export type VersionRow = {
  readonly version: number
  readonly publishedAt: string
  readonly publishedBy: string
  readonly note: string | null
}
