/** Writes docs/reference/host-functions.md from the definitions of the host functions; a test compares the committed page with it. */
import { functionTables } from '../../script/script.ts'
import { hostFunctions } from './host-functions.ts'

export const hostFunctionsPage = async (): Promise<string> => `# Functions of endpoints

What scripts of dynamic endpoints can call beside the [standard library](script-library.md). \`Log\` here takes the place of the
library's logarithm.

- **What is not there is an answer, not an error.** Lookups give \`null\`, lists \`[]\`, changes \`false\` or, where they give what they
  made, \`null\`. Why a change was refused stands in the log of the run as a warning.
- **A run fails** for arguments of a wrong type, at its limits, and when a question for records cannot be understood (JM5920).
- **Ids** may also be given as the object that has the id; facet definitions by their name, too. Names are found in any case, as are
  the keys of option objects.
- **Changes hold at once**, for everybody. A trial of a draft changes nothing: it works on a copy from its first change on.
- **Who did it**: audit entries name the endpoint and its caller, whatever a script gives as \`createdBy\`.

## Data

| Member | Content |
|---|---|
| \`Data.request.method\` | in capitals |
| \`Data.request.path\` | as it was asked for |
| \`Data.request.queryString\` | raw, with its \`?\`; empty when there is none |
| \`Data.request.query\` | texts by name; an array where a name is repeated |
| \`Data.request.headers\` | texts by name in lower case |
| \`Data.request.params\` | texts by the names in the path of the endpoint |
| \`Data.request.body\` | what JSON or a form says; otherwise null |
| \`Data.request.rawBody\` | the text of the body, as signatures are made of it; null without one |
| \`Data.request.user\` | \`isAuthenticated\`, \`name\`, \`principalId\`, \`roles\` |
| \`Data._payload\` | the body of the answer, as JSON; \`null\` unless set |
| \`Data._statusCode\` | a whole number from 200 to 599; 200 unless set. 204, 205 and 304 have no body |
| \`Data._redirect\` | a path that begins with one \`/\`, or an address of \`http:\` or \`https:\`: the answer is 302, or \`_statusCode\` where that is 3xx, without a payload |
| \`Data._contentType\` | a media type: a text is then sent as it is, in UTF-8 (but JSON stays JSON) |
| \`Data._headers\` | texts by name. Headers of the connection, of the service, cookies and those that decide over safety (such as \`access-control-…\`) are refused |

An answer that cannot be sent, like any failure, is answered with 500 and the id of the run, and recorded with its reason.

${await functionTables(hostFunctions)}
`
