/** What the pages of executions read, and the filter that they share: each name is a parameter of the API and of the address. */
import type { components, paths } from '../../../generated/api.d.ts'
import { given } from '../../api/given.ts'
import type { AddressParameters } from '../../parts/use-address.ts'

export type Execution = components['schemas']['Execution']
export type ExecutionSummary = components['schemas']['ExecutionSummary']
export type RerunJob =
  paths['/api/admin/v1/executions/reruns/{id}']['get']['responses'][200]['content']['application/json']
export type ListQuery = NonNullable<paths['/api/admin/v1/executions']['get']['parameters']['query']>
export type Filter = Omit<ListQuery, 'sort' | 'total' | 'limit' | 'after'>

export const executionsKey = ['executions'] as const

const texts = [
  'status',
  'type',
  'endpointId',
  'category',
  'executionId',
  'principalId',
  'requestId',
  'responseStatus',
  'text',
  'content',
  'from',
  'to',
] as const
const numbers = ['version', 'minExecutionTimeMs', 'maxExecutionTimeMs'] as const

export const filterNames: readonly string[] = [...texts, ...numbers]

/** Texts that are no numbers go to the API as they are, which refuses them. */
export function filterOf(address: AddressParameters): Filter {
  const filter: Record<string, string | number | undefined> = {}
  for (const name of texts) filter[name] = address[name]
  for (const name of numbers) {
    const text = address[name]
    filter[name] = text === undefined || Number.isNaN(Number(text)) ? text : Number(text)
  }
  return given(filter) as Filter
}

/** Views that one click away are worth a name. */
export function presets(
  now = new Date(),
): Readonly<Record<'failedToday' | 'slow' | 'refused' | 'schedules', AddressParameters>> {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString()
  return {
    failedToday: { status: 'Failed', from: today },
    slow: { minExecutionTimeMs: '1000' },
    refused: { status: 'Refused' },
    schedules: { type: 'ScheduledScript' },
  }
}
