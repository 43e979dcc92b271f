/** All functions that scripts of endpoints can call in addition to the library (specification 4.3, design 8.6). */
import type { NativeFunction } from '../../script/values.ts'
import { callerFunctions } from './caller.ts'
import { cancelFunctions } from './cancel-action.ts'
import { digestFunctions } from './digests.ts'
import { facetFunctions } from './facets.ts'
import { contained } from './failures.ts'
import { logFunctions } from './log.ts'
import { notepadFunctions } from './notepads.ts'
import { notificationFunctions } from './notifications.ts'
import { organizationFunctions } from './organizations.ts'
import { httpFunctions } from './outbound/http-request.ts'
import { mailFunctions } from './outbound/send-mail.ts'
import { personChanges } from './person-changes.ts'
import { personFunctions } from './persons.ts'
import { recordFunctions } from './records/records.ts'
import { roleFunctions } from './roles.ts'
import { secretFunctions } from './secrets.ts'
import { stateFunctions } from './state.ts'
import { filterFunctions } from './texts/filter-text.ts'
import { csvFunctions } from './texts/to-csv.ts'

export const hostFunctions: readonly NativeFunction[] = [
  ...recordFunctions,
  ...organizationFunctions,
  ...facetFunctions,
  ...personFunctions,
  ...personChanges,
  ...callerFunctions,
  ...roleFunctions,
  ...secretFunctions,
  ...filterFunctions,
  ...csvFunctions,
  ...notificationFunctions,
  ...httpFunctions,
  ...mailFunctions,
  ...notepadFunctions,
  ...stateFunctions,
  ...digestFunctions,
  ...logFunctions,
  ...cancelFunctions,
].map(contained)
