/** The files of `examples/ops/` and `deploy/systemd/` and the page about operations agree with the service that they are for. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load-config.ts'
import { settingNames, variableOf } from '../../src/config/settings.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'

const root = join(import.meta.dirname, '../..')
const ops = (name: string): Promise<string> => readFile(join(root, 'examples/ops', name), 'utf8')

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly action: string }
}
type Rules = { readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] }

let folder: string
/** What a service that has answered a request and refreshed once says at /metrics. */
let metrics: string
let rules: readonly Rule[]

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-operations-files-'))
  const [data, source] = [join(folder, 'data'), join(folder, 'extract')]
  await publishExtract({ data, source }, fixtureExtract)
  const apiKey = await createAccount(data, fixtureExtract.clients[0]?.client_number as string, 'Export')
  rules = (parse(await ops('tripfolio.rules.yml'), { strict: true }) as Rules).groups.flatMap(
    ({ rules }) => rules,
  )
  metrics = await whileServingHere(
    data,
    async ({ address }) => {
      await fetch(`${address}/api/v2/bookings`, { headers: { 'X-API-Key': apiKey } })
      await fetch(`${address}/api/v2/bookings`)
      await runCommand(['refresh', '--data', data])
      return (await fetch(`${address}/metrics`)).text()
    },
    { source },
  )
})
after(() => rm(folder, { recursive: true, force: true }))

const metricNames = (): ReadonlySet<string> =>
  new Set(
    Array.from(metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ).flat(),
  )

describe('the rules for alerts', () => {
  it('name only metrics that the service has', () => {
    const names = metricNames()
    const named = rules.flatMap(({ expr }) => Array.from(expr.matchAll(/tripfolio_\w+/g), ([name]) => name))
    assert.ok(named.length >= rules.length)
    assert.deepEqual(
      named.filter((name) => !names.has(name)),
      [],
    )
  })

  it('select by labels that the metrics have', () => {
    const wrong: string[] = []
    for (const { expr } of rules) {
      for (const [, name = '', selectors = ''] of expr.matchAll(/(tripfolio_\w+)\{([^}]*)\}/g)) {
        const samples = metrics.split('\n').filter((line) => line.startsWith(`${name}{`))
        const labels = Array.from(selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g), ([, label]) => label)
        if (samples.length === 0) wrong.push(`${name} has no sample`)
        for (const label of labels) {
          if (!samples.some((line) => line.includes(`${label}="`))) wrong.push(`${name}{${label}}`)
        }
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('say for each alert what happened and what to do, under a name of its own', () => {
    assert.ok(rules.length > 10)
    for (const { alert, labels, annotations } of rules) {
      assert.match(alert, /^Tripfolio[A-Z]\w+$/)
      assert.match(labels.severity, /^(?:page|ticket)$/)
      assert.ok(annotations.summary.length > 20 && annotations.action.length > 20, alert)
    }
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  })

  it('name only commands that exist', async () => {
    const { stdout } = await runCommand(['--help'])
    for (const { annotations } of rules) {
      for (const [, command] of annotations.action.matchAll(/`tripfolio (\w+)/g)) {
        assert.match(stdout, new RegExp(`^  ${command} `, 'm'))
      }
    }
  })
})

describe('the systemd unit', () => {
  it('gives the service the time to stop that its settings promise', async () => {
    const unit = await readFile(join(root, 'deploy/systemd/tripfolio.service'), 'utf8')
    const { stopSeconds } = loadConfig({ env: {}, flags: {} })
    const timeout = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
    // Closing takes at most 10 s more.
    assert.ok(timeout > stopSeconds + 10)
    assert.match(unit, /^ExecStart=\S+\/bin\/tripfolio serve$/m)
  })

  it('has only settings that exist in its file of settings', async () => {
    const lines = (await readFile(join(root, 'deploy/systemd/tripfolio.env'), 'utf8'))
      .split('\n')
      .filter((line) => /^\w/.test(line))
    const env = Object.fromEntries(
      lines.map((line) => {
        const [, name = '', value = ''] = /^(\w+)="?(.*?)"?$/.exec(line) ?? []
        return [name, value]
      }),
    )
    assert.ok(Object.keys(env).length > 3)
    assert.equal(loadConfig({ env, flags: {} }).port, 8080)
  })
})

describe('the page about operations', () => {
  it('prepares what its lines need: the command on the path, and a folder that the user of the service may write', async () => {
    const page = await readFile(join(root, 'docs/how-to/operations.md'), 'utf8')
    const at = (line: RegExp): number => {
      const found = page.search(line)
      assert.ok(found >= 0, String(line))
      return found
    }
    const linked = at(/^ +ln -s \/opt\/tripfolio\/bin\/tripfolio \/usr\/local\/bin\/$/m)
    assert.ok(linked < at(/sudo -u tripfolio tripfolio /))
    // cron searches /usr/bin and /bin only.
    assert.ok(at(/^ +PATH=\/usr\/local\/bin:/m) < at(/^ +15 2 \* \* \* +tripfolio backup/m))
    const moved = at(/^ +mv \/var\/lib\/tripfolio /m)
    const made = at(/^ +install -d -o tripfolio .* \/var\/lib\/tripfolio$/m)
    assert.ok(moved < made && made < at(/^ +sudo -u tripfolio tripfolio restore /m))
  })

  it('names every example file, and only commands and metrics that exist', async () => {
    const page = await readFile(join(root, 'docs/how-to/operations.md'), 'utf8')
    for (const name of await readdir(join(root, 'examples/ops')))
      assert.ok(page.includes(`ops/${name}`), name)
    const names = metricNames()
    const known = (name: string) => names.has(name) || names.has(`${name}_count`)
    // The other name is that of a schema in PostgreSQL.
    const named = Array.from(page.matchAll(/tripfolio_(?!records\b)[a-z_]+/g), ([name]) => name)
    assert.deepEqual(
      named.filter((name) => !known(name)),
      [],
    )
    const { stdout } = await runCommand(['--help'])
    const commands = new Set(Array.from(stdout.matchAll(/^ {2}(\w+) /gm), ([, name]) => name))
    const called = Array.from(page.matchAll(/(?:`|^ +|\/bin\/)tripfolio ([a-z]+)\b/gm), ([, name]) => name)
    assert.deepEqual(
      called.filter((name) => !commands.has(name)),
      [],
    )
  })

  it('names only settings that exist, and so do the pages beside it', async () => {
    const folder = join(root, 'docs/how-to')
    const known = new Set<string>([...settingNames, ...settingNames.map(variableOf), ...notSettings])
    const unknown: string[] = []
    for (const name of await readdir(folder)) {
      const text = await readFile(join(folder, name), 'utf8')
      const variables = text.matchAll(/\bTRIPFOLIO_[A-Z0-9_]+/g)
      const named = pagesForOperators.has(name) ? text.matchAll(/(?<=`)[a-z]+(?:[A-Z][a-z]+)+(?=`)/g) : []
      for (const [word] of [...variables, ...named]) if (!known.has(word)) unknown.push(`${name}: ${word}`)
    }
    assert.deepEqual(unknown, [])
  })
})

const pagesForOperators: ReadonlySet<string> = new Set(['operations.md', 'capacity.md', 'warehouse.md'])

/** What else looks like a setting: fields of log lines, a member of endpoints, and what Kubernetes adds. */
const notSettings = [
  'TRIPFOLIO_TOKEN',
  'requestId',
  'operatorAddress',
  'requestsCutOff',
  'runsCutOff',
  'extractedAt',
  'allowedHosts',
  'principalId',
  'replyTo',
  'TRIPFOLIO_SERVICE_HOST',
] as const
