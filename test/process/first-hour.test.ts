/**
 * The curl lines of the README and of the first steps work when they are pasted, in their order, and answer what is quoted below
 * them. The filters of the client's first hour find something, and the commands of the operator's do what the text says.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { pasteLines } from './paste-lines.ts'
import { type ServingHere, serveHere } from './service-in-process.ts'

const root = join(import.meta.dirname, '../..')

let data: string
let serving: ServingHere
let address: string
before(async () => {
  data = await mkdtemp(join(tmpdir(), 'tripfolio-first-hour-'))
  // What a first start on 2026-01-01 makes.
  await publishDemo({ data }, { clients: 6, bookings: 5000 })
  serving = await serveHere(data)
  address = serving.address
})
after(async () => {
  await serving.close()
  await rm(data, { recursive: true, force: true })
})

type Pasted = { readonly command: string; readonly quoted: string }

/** The commands of version 2 with an API key, with the lines that stand below each up to the next one. */
function commandsOf(document: string): readonly Pasted[] {
  const lines = readFileSync(join(root, document), 'utf8')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.trim().replace(/^\$ /, ''))
  return lines.flatMap((command, index) => {
    if (!command.startsWith('curl -sG')) return []
    const next = lines.findIndex((line, at) => at > index && /^(?:curl|export|npm|bin|API)\b/.test(line))
    return [{ command, quoted: lines.slice(index + 1, next === -1 ? undefined : next).join('') }]
  })
}

/** As on the day of the demo. */
const DATE = `date() { case "$*" in +%F) echo 2026-01-01 ;; '-d 7 days +%F') echo 2026-01-08 ;; *) return 1 ;; esac; }`

const BETWEEN = '--- the next answer ---'

/** What the commands answer, in their order, each to the same shell. */
async function answersTo(commands: readonly string[], key: string) {
  const script = [
    'set -eu',
    DATE,
    `API=${address}/api/v2`,
    ...commands.flatMap((command) => [
      command.replaceAll('http://127.0.0.1:8080', address),
      `echo '${BETWEEN}'`,
    ]),
  ]
  const env = { PATH: process.env.PATH, KEY: key }
  const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n')], {
    env,
    maxBuffer: 2 ** 26,
  })
  return stdout
    .split(BETWEEN)
    .slice(0, -1)
    .map((answer) => JSON.parse(answer))
}

for (const [document, most] of [
  ['README.md', 3],
  ['docs/tutorial/first-steps.md', 6],
] as const) {
  describe(document, () => {
    const commands = commandsOf(document)
    let answers: Awaited<ReturnType<typeof answersTo>>
    before(async () => {
      const key = await createAccount(data, 'C00001', document)
      answers = await answersTo(
        commands.map(({ command }) => command),
        key,
      )
    })

    it('has lines that find records, and as many as it says, or the error that it quotes', () => {
      assert.equal(commands.length, most)
      assert.equal(answers.length, most)
      for (const [at, { command, quoted }] of commands.entries()) {
        assert.doesNotMatch(command, /\$(?:filter|orderby|page|format)/i, 'a shell would replace it')
        const answer = answers[at]
        if (quoted.startsWith('{"error"')) assert.deepEqual(answer, JSON.parse(quoted))
        else assert.ok(answer.count > 0, command)
        const total = /"total":(\d+)/.exec(quoted)?.[1]
        if (total !== undefined) assert.equal(answer._meta.total, Number(total), command)
      }
    })

    it('quotes records that the answers have', () => {
      for (const [at, { command, quoted }] of commands.entries()) {
        const text = JSON.stringify(answers[at])
        for (const [member] of quoted.matchAll(/"(?:recordLocator|invoiceNumber|tripStartLocal)":"[^"]*"/g)) {
          assert.ok(text.includes(member), `${command}: ${member}`)
        }
      }
    })
  })
}

describe('docs/tutorial/the-clients-first-hour.md', () => {
  it('has filters that find records', async () => {
    const key = await createAccount(data, 'C00001', 'filters')
    const text = readFileSync(join(root, 'docs/tutorial/the-clients-first-hour.md'), 'utf8')
    const tables = text.matchAll(/^\| filter of (\w+) .+\n\|.+\n((?:\|.+\n)+)/gm)
    let filters = 0
    for (const [, list, rows = ''] of tables) {
      for (const [, filter = ''] of rows.matchAll(/^\| `(.+?)` /gm)) {
        const query = new URLSearchParams({ filter, pageSize: '1' })
        const response = await fetch(`${address}/api/v2/${list}?${query}`, { headers: { 'X-API-Key': key } })
        const { count } = (await response.json()) as { readonly count: number }
        assert.equal(count, 1, `${list}: ${filter}`)
        filters++
      }
    }
    assert.equal(filters, 5)
  })
})

describe('docs/tutorial/the-operators-first-hour.md', () => {
  it('has commands that publish endpoints, one of which reports and one of which fails', async () => {
    const text = readFileSync(join(root, 'docs/tutorial/the-operators-first-hour.md'), 'utf8')
    const commands = [...text.matchAll(/^ {4}\$ (?!npm )(.+)$/gm)].map(([, command = '']) => command)
    const lines = [
      // A machine may have no openssl.
      'openssl() { printf abcdefghijklmnopqrstuvwxyz; }',
      ...commands
        .map((command) => command.replace('http://127.0.0.1:8080', address))
        .flatMap((command, at) => (at === 0 ? [command] : ['echo ---', command])),
    ]
    const stdout = await pasteLines(lines, { env: { TRIPFOLIO_DATA: data }, started: 'secret*' })
    const answers = stdout.split('---\n')
    const [fails, reports] = answers.slice(-2)
    assert.equal(commands.length, 7)
    assert.match(answers[0] ?? '', /^eyJ/, 'a token')
    assert.match(fails ?? '', /^\{"error":"The endpoint could not answer: its script failed"/)
    assert.match(reports ?? '', /^\{"client":\{"number":"C00001".+"total":\d+\.\d\d,"groups":\[\{/)
  })
})
