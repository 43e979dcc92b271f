/**
 * Writes docs/reference/host-functions.md from the definitions of the host functions; a test compares the committed page with
 * it.
 */
import { functionTables } from '../../script/script.ts'
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
| \`Data.request.method\` | in capitals |
| \`Data.request.path\` | the path of the request, decoded |
| \`Data.request.queryString\` | the query as it was sent, with its \`?\`; empty without a query |
| \`Data.request.query\` | one text per name; an array of texts for a repeated name |
| \`Data.request.headers\` | one text per name; names are in lower case |
| \`Data.request.params\` | the parameters of the path, one text per name |
| \`Data.request.address\` | the IP address of the caller; only for a call |
| \`Data.request.body\` | the value of a JSON body or a form; null for other content and without a body |
| \`Data.request.rawBody\` | the text of the body, which signatures are made of; null without a body |
| \`Data.request.user\` | \`isAuthenticated\`, \`name\`, \`principalId\`, \`roles\`; for a run by schedule, \`principalId\` is \`schedule:NAME\` |
| \`Data.request.schedule\` | only for a run by schedule: \`name\`, and \`dueAt\`, when it was due, in UTC |
| \`Data._payload\` | the body of the response, sent as JSON; \`null\` by default |
| \`Data._statusCode\` | a whole number from 200 to 599; 200 by default. 204, 205 and 304 have no body |
| \`Data._binary\` | bytes as base64, sent instead of the payload. The content type is \`application/octet-stream\`, or \`_contentType\` |
| \`Data._redirect\` | a path that begins with one \`/\`, or an address of \`http:\` or \`https:\`. The status is 302, or \`_statusCode\` if that is 3xx; the payload is not sent |
| \`Data._contentType\` | a media type. With any other than \`application/json\`, a text as payload is sent as it is, in UTF-8 |
| \`Data._headers\` | one text per name. Refused are headers of the connection, headers that the service sets, cookies, and headers that browsers enforce for security (such as \`access-control-…\`) |

When a run fails or its response cannot be sent, the caller gets 500 and the id of the run; the record of the run has the reason.
When a script calls \`CancelAction\`, the caller gets 409 with the reason and the id.

${await functionTables(hostFunctions)}
`
