/** What the pages of organizations read, and the names under which it is kept. */
import type { components } from '../../../generated/api.d.ts'
import { type Api, dataOf } from '../../api/client.ts'
import { orNull } from '../../parts/form-values.ts'

export type Organization = components['schemas']['Organization']

export const organizationsKey = ['organizations'] as const
export const organizationKey = (id: string) => ['organization', id] as const

/** For names of parents and of organizations of persons. */
export const nameQuery = (api: Api, id: string) => ({
  queryKey: ['organization-name', id],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const { name, number, parentOrganizationId } = await dataOf(
      api.GET('/api/admin/v1/organizations/{id}', { params: { path: { id } }, signal }),
    )
    return { name, number, parentOrganizationId }
  },
})

export const titleOf = ({ number, name }: Pick<Organization, 'number' | 'name'>): string =>
  number === null ? name : `${name} (${number})`

export type OrganizationForm = {
  readonly name: string
  readonly number: string
  readonly description: string
  readonly parent: string
  readonly isActive: boolean
}

export const emptyOrganization: OrganizationForm = {
  ...{ name: '', number: '', description: '', parent: '', isActive: true },
}

export const formOf = (organization: Organization): OrganizationForm => ({
  name: organization.name,
  number: organization.number ?? '',
  description: organization.description ?? '',
  parent: organization.parentOrganizationId ?? '',
  isActive: organization.isActive,
})

export const bodyOf = (form: OrganizationForm) => ({
  name: form.name.trim(),
  number: orNull(form.number),
  description: orNull(form.description),
  parentOrganizationId: orNull(form.parent),
  isActive: form.isActive,
})
