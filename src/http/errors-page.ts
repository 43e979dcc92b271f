/** Writes docs/reference/errors.md from the catalogue of problems; a test compares the committed page with it. */
import { problemStages, retiredCodes } from '../kernel/problems/catalogue.ts'
import { kindOfCode, type ProblemCode } from '../kernel/problems/codes.ts'
import { type Explanations, type ProblemKind, problemKinds } from '../kernel/problems/kinds.ts'
import { statusOfKind } from './problem-status.ts'

export function errorsPage(): string {
  return `# Errors

Every error that an operator or a caller can act on has a code. A code never changes its meaning: a program or an alarm may
depend on it.

- **Log**: a request line has the code as \`problem\`; a refused refresh and a failure have it as \`code\`.
- **HTTP**: a response has the status, a message and often a next step, but no code. The log line with the code has the
  same request id as the header \`X-Request-Id\`. For the kinds \`storage-failure\`, \`damaged\` and \`defect\` the response
  has only the request id, or the id of the execution when a run was lost.
- **Commands**: a command prints the message and the next step, with \`--json\` as JSON with the code, and ends with the
  [exit code](exit-codes.md) of its kind. Problems in the files of endpoints are printed with their codes.
- **Runs of endpoints**: the history has the code of a failed run. Codes that begin with JM belong to the script language:
  JM2 is about reading a script, JM3 about checking it, JM4 about the functions that it calls, JM5 about running it. Each
  comes with a message, a line and a column; \`tripfolio script check\` shows them before a script runs.

## Kinds

The kind of a problem decides how it is answered over HTTP. Kinds without a status belong to commands, the start of the service
and refreshes; no request is expected to meet them.

| Kind | Status | Meaning |
|---|---|---|
${Object.entries(problemKinds).map(kindRow).join('\n')}

The service writes a failure to its log for the statuses 500 and 503, except for the kind \`unavailable\`: its states are
temporary. A 503 has the header \`Retry-After\`, a 401 the header \`WWW-Authenticate\` with the expected credential.

${problemStages.map(({ title, rows }) => `## ${title}\n\n${table(rows)}`).join('\n\n')}

## Retired codes

Nothing raises these codes any more.

| Code | Meaning |
|---|---|
${Object.entries(retiredCodes)
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join('\n')}
`
}

const kindRow = ([kind, meaning]: readonly [string, string]): string =>
  `| \`${kind}\` | ${statusText(kind as ProblemKind)} | ${meaning} |`

const table = (rows: Explanations): string =>
  [
    '| Code | Kind | Status | Meaning | What to do |',
    '|---|---|---|---|---|',
    ...Object.entries(rows).map(([code, { meaning, action }]) => {
      const kind = kindOfCode[code as ProblemCode]
      return `| ${code} | \`${kind}\` | ${statusText(kind)} | ${meaning} | ${action} |`
    }),
  ].join('\n')

const statusText = (kind: ProblemKind): string => String(statusOfKind[kind] ?? '')
