/** Host functions that read persons. Those that change persons are in `person-changes.ts`. */
import { any, define, fromPlain, type NativeFunction } from '../../script/values.ts'
import { listOf, plainPerson } from './host-answers.ts'
import { idOf, plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Persons'

const getPersonById = define({
  name: 'GetPersonById',
  category,
  parameters: [any('personId')],
  returns: 'object or null',
  about: 'Returns a person with their facets, or null when no person has that id.',
  async waits(context, personId) {
    const id = idOf(personId)
    const found = id === null ? null : await hostOf(context).directory().persons.byId(id)
    return found === null ? null : fromPlain(plainPerson(found), context)
  },
})

const getAllPersons = define({
  name: 'GetAllPersons',
  category,
  parameters: [],
  returns: 'array',
  about: 'Lists all persons, active and inactive, sorted by name.',
  async waits(context) {
    return listOf(context, await hostOf(context).directory().persons.list(), plainPerson)
  },
})

const getPersonByEmail = define({
  name: 'GetPersonByEmail',
  category,
  parameters: [any('emailAddress')],
  returns: 'object or null',
  about: 'Returns the first person with an email address, in any letter case, or null.',
  async waits(context, emailAddress) {
    const address = plainText(emailAddress)
    if (address === null) return null
    const [first] = await hostOf(context).directory().persons.byEmail(address)
    return first === undefined ? null : fromPlain(plainPerson(first), context)
  },
})

const getAllPersonsByEmail = define({
  name: 'GetAllPersonsByEmail',
  category,
  parameters: [any('emailAddress')],
  returns: 'array',
  about: 'Lists the persons with an email address, in any letter case.',
  async waits(context, emailAddress) {
    const address = plainText(emailAddress)
    const found = address === null ? [] : await hostOf(context).directory().persons.byEmail(address)
    return listOf(context, found, plainPerson)
  },
})

export const personFunctions: readonly NativeFunction[] = [
  getPersonById,
  getAllPersons,
  getPersonByEmail,
  getAllPersonsByEmail,
]
