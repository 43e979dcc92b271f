/** Writes docs/reference/roles.md from the routes of the admin API; a test compares the committed page with it. */
import { rolesThatMay } from '../auth/operator-roles.ts'
import { operatorRoles } from '../kernel/user.ts'
import { ADMIN_PREFIX, type AdminOperation } from './admin-route.ts'

export function rolesPage(operations: readonly AdminOperation[]): string {
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort()
  return `# Roles of operators

The admin API (\`${ADMIN_PREFIX}\`) asks each caller for a token with one of four roles. \`support\` and \`author\` each have rights
that the other lacks; \`viewer\` has fewer than both, and \`admin\` has all.

| Role | For | May |
|---|---|---|
| \`viewer\` | people who look | read everything but records of clients, what callers sent and got, personal data of people, rejected rows, secrets and the audit trail |
| \`support\` | people who help clients | also see the records that a client sees, read runs with their bodies, run them again, rotate and lock keys, send deliveries again, look after organizations and people |
| \`author\` | people who write scripts | also read runs with their bodies, run them again, write, test and publish endpoints. A script reads the records of every client and every secret that it names, so this role can read them too; the audit trail names what it reads |
| \`admin\` | people who run the service | everything: accounts, secrets, settings, refreshes, and all that deletes |

A list of runs is not personal data here, although it names callers and paths. Keep personal data out of paths, or give
\`viewer\` to nobody.

[Operations](../../docs/how-to/operations.md#roles-and-sign-in) shows how a token gets its roles. \`GET ${ADMIN_PREFIX}/me\` shows a
caller's own roles and rights. In the OpenAPI document every operation has the member \`x-required-role\`.

A caller without the role gets 403 (ADM102) before anything else of the request is read.
${tags.map((tag) => section(tag, operations)).join('')}`
}

const section = (tag: string, operations: readonly AdminOperation[]): string => `
## ${tag}

| Operation | Address | ${operatorRoles.join(' | ')} |
|---|---|${operatorRoles.map(() => '---|').join('')}
${operations
  .filter((operation) => operation.tag === tag)
  .map(row)
  .join('\n')}
`

function row({ operationId, method, path, role, summary }: AdminOperation): string {
  const enough: readonly string[] = rolesThatMay[role]
  const marks = operatorRoles.map((one) => (enough.includes(one) ? 'yes' : ''))
  const note =
    role === 'anyone' ? ' (without a token)' : role === 'signed-in' ? ' (with any valid token)' : ''
  return `| ${summary}${note} (\`${operationId}\`) | \`${method} ${path}\` | ${marks.join(' | ')} |`
}
