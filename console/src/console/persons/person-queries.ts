/** What the pages of persons read, and the names under which it is kept. */
import type { components } from '../../../generated/api.d.ts'
import { orNull } from '../../parts/form-values.ts'

export type Person = components['schemas']['Person']

export const personsKey = ['persons'] as const
export const personKey = (id: string) => ['person', id] as const

export const nameOf = ({ prefix, firstName, middleName, lastName, suffix }: Person): string =>
  [prefix, firstName, middleName, lastName, suffix].filter((part) => part !== null && part !== '').join(' ')

export type PersonForm = {
  readonly firstName: string
  readonly middleName: string
  readonly lastName: string
  readonly prefix: string
  readonly suffix: string
  readonly emailAddress: string
  readonly userPrincipalName: string
  readonly organizationIds: readonly string[]
  readonly isActive: boolean
}

export const emptyPerson: PersonForm = {
  ...{ firstName: '', middleName: '', lastName: '', prefix: '', suffix: '' },
  ...{ emailAddress: '', userPrincipalName: '', organizationIds: [], isActive: true },
}

export const formOf = (person: Person): PersonForm => ({
  firstName: person.firstName ?? '',
  middleName: person.middleName ?? '',
  lastName: person.lastName,
  prefix: person.prefix ?? '',
  suffix: person.suffix ?? '',
  emailAddress: person.emailAddress,
  userPrincipalName: person.userPrincipalName ?? '',
  organizationIds: person.organizationIds,
  isActive: person.isActive,
})

export const bodyOf = (form: PersonForm) => ({
  firstName: orNull(form.firstName),
  middleName: orNull(form.middleName),
  lastName: form.lastName.trim(),
  prefix: orNull(form.prefix),
  suffix: orNull(form.suffix),
  emailAddress: form.emailAddress.trim(),
  userPrincipalName: orNull(form.userPrincipalName),
  organizationIds: [...form.organizationIds],
  isActive: form.isActive,
})
