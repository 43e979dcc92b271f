/** All functions that scripts of endpoints can call in addition to the library (specification 4.3, design 8.6). */
import type { NativeFunction } from '../../script/values.ts'
import { callerFunctions } from './caller.ts'
import { digestFunctions } from './digests.ts'
import { facetFunctions } from './facets.ts'
import { contained } from './failures.ts'
import { logFunctions } from './log.ts'
import { notepadFunctions } from './notepads.ts'
import { notificationFunctions } from './notifications.ts'
import { organizationFunctions } from './organizations.ts'
import { personChanges } from './person-changes.ts'
import { personFunctions } from './persons.ts'
import { recordFunctions } from './records.ts'
import { secretFunctions } from './secrets.ts'

export const hostFunctions: readonly NativeFunction[] = [
  ...recordFunctions,
  ...organizationFunctions,
  ...facetFunctions,
  ...personFunctions,
  ...personChanges,
  ...callerFunctions,
  ...secretFunctions,
  ...notificationFunctions,
  ...notepadFunctions,
  ...digestFunctions,
  ...logFunctions,
].map(contained)
