/** Host functions that change persons. The audit trail names the run as the author and ignores the argument `createdBy`. */
import type { Person, PersonDraft } from '../../schema/directory-shapes.ts'
import {
  any,
  define,
  fromPlain,
  type NativeContext,
  type NativeFunction,
  object,
  optional,
  type Value,
} from '../../script/values.ts'
import { refused, unlessRefused } from './failures.ts'
import { plainPerson } from './host-answers.ts'
import { idOf, isOn, optionsOf, plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Persons'

const createPerson = define({
  name: 'CreatePerson',
  category,
  parameters: [
    any('organizationId'),
    any('lastName'),
    any('emailAddress'),
    optional(any('firstName')),
    optional(any('userPrincipalName')),
    optional(any('isActive')),
    optional(any('createdBy')),
  ],
  returns: 'object or null',
  about:
    'Creates a person in an organization and returns the person, or returns null when the store refuses it.',
  async waits(context, organizationId, lastName, emailAddress, firstName, userPrincipalName, isActive) {
    const { actor, directoryToChange } = hostOf(context)
    const { persons } = await directoryToChange()
    const draft: PersonDraft = {
      firstName: plainText(firstName),
      lastName: plainText(lastName) ?? '',
      middleName: null,
      prefix: null,
      suffix: null,
      emailAddress: plainText(emailAddress) ?? '',
      userPrincipalName: plainText(userPrincipalName),
      organizationIds: [idOf(organizationId) ?? ''],
      isActive: isOn(isActive),
    }
    const created = await unlessRefused(context, 'CreatePerson', null, () => persons.create(draft, actor))
    return created === null ? null : fromPlain(plainPerson(created), context)
  },
})

const updatePerson = define({
  name: 'UpdatePerson',
  category,
  parameters: [any('personId'), object('data')],
  returns: 'boolean',
  about:
    'Replaces firstName, lastName, emailAddress, organizationId (the main organization), userPrincipalName and isActive of a person. Members that are left out become empty, but isActive becomes true. Returns false when the person is unknown or the store refuses the data.',
  waits: (context, personId, data) =>
    changePerson(context, 'UpdatePerson', personId, (person) => {
      const given = optionsOf('UpdatePerson', data)
      return {
        ...draftOf(person),
        firstName: plainText(given.get('firstname')),
        lastName: plainText(given.get('lastname')) ?? '',
        emailAddress: plainText(given.get('emailaddress')) ?? '',
        userPrincipalName: plainText(given.get('userprincipalname')),
        organizationIds: withMain(person.organizationIds, idOf(given.get('organizationid'))),
        isActive: isOn(given.get('isactive')),
      }
    }),
})

const deletePerson = define({
  name: 'DeletePerson',
  category,
  parameters: [any('personId')],
  returns: 'boolean',
  about: 'Deletes a person for good. Returns false when no person has that id.',
  async waits(context, personId) {
    const { actor, directoryToChange } = hostOf(context)
    const { persons } = await directoryToChange()
    const id = idOf(personId)
    if (id === null) return refused(context, 'DeletePerson', false, 'no id was given')
    return unlessRefused(context, 'DeletePerson', false, async () => {
      await persons.remove(id, actor)
      return true
    })
  },
})

const addPersonToOrganization = define({
  name: 'AddPersonToOrganization',
  category,
  parameters: [any('personId'), any('organizationId')],
  returns: 'boolean',
  about:
    'Adds a person to an organization. Returns true when the person already belongs to it; false for unknown ids and for a person with 50 organizations.',
  waits: (context, personId, organizationId) =>
    changePerson(context, 'AddPersonToOrganization', personId, (person) => {
      const id = idOf(organizationId) ?? ''
      const { organizationIds } = person
      if (organizationIds.includes(id)) return null
      return { ...draftOf(person), organizationIds: [...organizationIds, id] }
    }),
})

const removePersonFromOrganization = define({
  name: 'RemovePersonFromOrganization',
  category,
  parameters: [any('personId'), any('organizationId')],
  returns: 'boolean',
  about:
    'Removes a person from an organization. Returns true when the person does not belong to it; false for an unknown person and for their only organization.',
  waits: (context, personId, organizationId) =>
    changePerson(context, 'RemovePersonFromOrganization', personId, (person) => {
      const id = idOf(organizationId)
      const left = person.organizationIds.filter((known) => known !== id)
      return left.length === person.organizationIds.length
        ? null
        : { ...draftOf(person), organizationIds: left }
    }),
})

export const personChanges: readonly NativeFunction[] = [
  createPerson,
  updatePerson,
  deletePerson,
  addPersonToOrganization,
  removePersonFromOrganization,
]

/** @param change returns null when there is nothing to change */
async function changePerson(
  context: NativeContext,
  name: string,
  personId: Value,
  change: (person: Person) => PersonDraft | null,
): Promise<boolean> {
  const { actor, directoryToChange } = hostOf(context)
  const { persons } = await directoryToChange()
  const id = idOf(personId)
  const person = id === null ? null : await persons.byId(id)
  if (person === null) return refused(context, name, false, 'there is no such person')
  const draft = change(person)
  if (draft === null) return true
  return unlessRefused(context, name, false, async () => {
    await persons.update(person.id, draft, actor)
    return true
  })
}

const draftOf = ({
  id: _id,
  tenantId: _tenantId,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  facetInstances: _facetInstances,
  ...draft
}: Person): PersonDraft => draft

/** Puts another main organization in front. The former main organization is dropped, the others stay. */
const withMain = (organizationIds: readonly string[], main: string | null): string[] => [
  main ?? '',
  ...organizationIds.slice(1).filter((id) => id !== main),
]
