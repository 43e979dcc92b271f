/**
 * Writes docs/reference/host-functions.md from the definitions of the host functions; a test compares the committed page with
 * it.
 */
import { functionTables } from '../../script/script.ts'
import { dataMembers } from '../endpoint/data-members.ts'
import { hostFunctions } from './host-functions.ts'

export const hostFunctionsPage = async (): Promise<string> => `# Functions of endpoints

The functions that scripts of dynamic endpoints can call, in addition to the [standard library](script-library.md). \`Log\`
replaces the logarithm of the library.

- **Something missing is not an error.** A lookup that finds nothing returns \`null\`, a list \`[]\`. A change that is refused
  returns \`false\`, or \`null\` if it would return what it created; a warning in the log of the run says why.
- **A run fails** when an argument has the wrong type, when it reaches a limit, and when a query for records is malformed
  (JM5920).
- **Ids**: wherever an id is expected, the object that has the id works too. Facet definitions can also be given by name. The
  letter case of names and of the keys of option objects does not matter.
- **Members of the objects that these functions return**, and of \`Data\`, are read in any letter case when no member has exactly that
  name: \`org.Name\` reads \`name\`. Writing takes exact names.
- **Changes take effect at once** and for all callers. A trial of a draft changes nothing: from its first change on it works on
  a copy.
- **Audit entries** name the endpoint and its caller, whatever a script gives as \`createdBy\`.

## Data

| Member | Content |
|---|---|
${dataMembers.map(([path, about]) => `| \`Data.${path}\` | ${about} |`).join('\n')}

When a run fails or its response cannot be sent, the caller gets 500 and the id of the run; the record of the run has the reason.
When a script calls \`CancelAction\`, the caller gets 409 with the reason and the id.

${await functionTables(hostFunctions)}
`
