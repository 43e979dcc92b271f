/**
 * Lines of a document, pasted into a shell in which `bin/tripfolio` is answered by the process of the test: arguments, standard
 * input and settings come over a socket, the real command line answers, and its output and exit code go back. A process for
 * each command costs ten times as much; `started` names those that are started all the same. The others run in the folder of
 * the test, wherever the shell has gone.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runCommand } from './run-command.ts'

const home = fileURLToPath(new URL('../../', import.meta.url))

type Options = {
  /** The whole environment of the shell, apart from its PATH. */
  readonly env: Readonly<Record<string, string>>
  readonly path?: string | undefined
  /** The commands that have a process of their own, as a pattern of the shell for their first two words, such as `secret*`. */
  readonly started: string
}

/** As in a shell that stands in the folder of the project and stops at the first line that fails. @returns standard output */
export async function pasteLines(
  lines: readonly string[],
  { env, path = process.env.PATH, started }: Options,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-shell-'))
  const socket = join(folder, 'socket')
  const server = createServer(async (request, response) => {
    const failed = (cause: unknown) => `printf %s ${quoted(String(cause))} >&2; return 70`
    response.end(await answerTo(request).catch(failed))
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  try {
    const running = promisify(execFile)(
      'bash',
      ['-c', ['set -eu', tripfolioAt(socket, started), ...lines].join('\n')],
      { cwd: home, env: { ...env, ...(path !== undefined && { PATH: path }) }, maxBuffer: 2 ** 26 },
    )
    // Nobody types: a command that reads, reads what the line gives it.
    running.child.stdin?.end()
    return (await running).stdout
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
}

/** The function of the shell: what is answered is a script that prints, and returns the exit code. */
const tripfolioAt = (socket: string, started: string) => `
bin/tripfolio() {
  case "$1 \${2-}" in ${started}) command bin/tripfolio "$@"; return ;; esac
  local form=() each answer
  for each in "$@"; do form+=(--form-string "argument=$each"); done
  for each in $(compgen -e TRIPFOLIO_); do form+=(--form-string "$each=\${!each}"); done
  answer=$(curl -sS --unix-socket ${socket} "\${form[@]}" -F 'input=<-' http://tripfolio/) || return
  eval "$answer"
}`

async function answerTo(request: IncomingMessage): Promise<string> {
  const headers = { 'Content-Type': request.headers['content-type'] ?? '' }
  const form = await new Response(Readable.toWeb(request) as ReadableStream, { headers }).formData()
  const fields = Array.from(form, ([name, value]) => [name, String(value)] as const)
  const args = fields.flatMap(([name, value]) => (name === 'argument' ? [value] : []))
  const env = Object.fromEntries(fields.filter(([name]) => name.startsWith('TRIPFOLIO_')))
  const { code, stdout, stderr } = await runCommand(args, env, String(form.get('input')))
  return `printf %s ${quoted(stdout)}; printf %s ${quoted(stderr)} >&2; return ${code}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
