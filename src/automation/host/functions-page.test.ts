import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { library } from '../../script/stdlib/library.ts'
import { hostFunctionsPage } from './functions-page.ts'
import { hostFunctions } from './host-functions.ts'

describe('docs/reference/host-functions.md', () => {
  it('matches the definitions', async (t) => {
    const page = join(import.meta.dirname, '../../../docs/reference/host-functions.md')
    t.assert.fileSnapshot(await hostFunctionsPage(), page, { serializers: [(text) => text] })
  })
})

describe('the host functions', () => {
  const names = hostFunctions.map(({ name }) => name)

  it('are those of the specification and the design, once each', () => {
    assert.deepEqual(names.toSorted(), [
      'AddPersonToOrganization',
      'BroadcastNotification',
      'CancelAction',
      'CreateNotepad',
      'CreateOrganization',
      'CreatePerson',
      'DeleteNotepad',
      'DeleteOrganization',
      'DeletePerson',
      'DeleteState',
      'EachBooking',
      'EachInvoice',
      'EachItinerary',
      'FilterText',
      'GetAllFacetDefinitions',
      'GetAllOrganizations',
      'GetAllPersons',
      'GetAllPersonsByEmail',
      'GetChildOrganizations',
      'GetClients',
      'GetCurrentTenant',
      'GetCurrentUser',
      'GetCurrentUserRoles',
      'GetDataAsOf',
      'GetFacetDefinitionByName',
      'GetNotepadContent',
      'GetNotepads',
      'GetOrganizationById',
      'GetOrganizationFacetInstance',
      'GetOrganizationFacetInstances',
      'GetPersonByEmail',
      'GetPersonById',
      'GetPersonFacetInstance',
      'GetPersonRoles',
      'GetSecret',
      'GetState',
      'HmacSha256',
      'HttpRequest',
      'IncrementState',
      'Log',
      'QueryBookings',
      'QueryInvoices',
      'QueryItineraries',
      'RemovePersonFromOrganization',
      'SecureEquals',
      'SendMail',
      'SendNotification',
      'SetOrganizationFacetInstance',
      'SetPersonFacetInstance',
      'SetState',
      'Sha256',
      'ToCsv',
      'UpdatePerson',
    ])
  })

  it('replace only Log of the library, and leave Now and Length to it', () => {
    const libraryNames = library.map(({ name }) => name)
    assert.deepEqual(
      names.filter((name) => libraryNames.includes(name)),
      ['Log'],
    )
    assert.ok(libraryNames.includes('Now') && libraryNames.includes('Length'))
  })
})
