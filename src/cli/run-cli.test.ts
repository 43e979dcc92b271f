import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { callCli } from './testing/call-cli.ts'

const commands = [
  'serve',
  'ingest',
  'demo',
  'snapshot',
  'refresh',
  'backup',
  'restore',
  'quiet',
  'resume',
  'store',
  'secret',
  'account',
  'directory',
  'webhook',
  'config',
  'token',
  'endpoint',
  'execution',
  'schedule',
  'script',
  'explain',
  'completion',
]

describe('runCli', () => {
  it('prints the help with every command to the standard output that it is handed', async () => {
    const { code, stdout, stderr } = await callCli(['--help'])
    assert.deepEqual([code, stderr], [0, ''])
    const listed = [...stdout.matchAll(/^ {2}(\w+) .*$/gm)].map(([, name]) => name)
    assert.deepEqual(
      listed.filter((name) => name !== 'help'),
      commands,
    )
  })

  it('explains an unknown command on standard error', async () => {
    const { code, stdout, stderr } = await callCli(['sevre'])
    assert.deepEqual([code, stdout], [2, ''])
    assert.equal(
      stderr,
      "tripfolio: Unknown command 'sevre'\n           Did you mean serve? `tripfolio --help` lists its commands.\n",
    )
  })

  it('reads settings from the environment that it is handed', async () => {
    const env = { TRIPFOLIO_DATA: '/somewhere', TRIPFOLIO_JWT_SECRET: 'thirty-two bytes that are a secret' }
    const { code, stdout } = await callCli(['config', 'print', '--json'], { env })
    const settings: readonly { readonly value: unknown; readonly source: string }[] = JSON.parse(stdout)
    assert.equal(code, 0)
    const given = settings.filter(({ source }) => source === 'environment').map(({ value }) => value)
    assert.equal(given.length, 2)
    assert.ok(given.includes('/somewhere'))
    assert.ok(!stdout.includes(env.TRIPFOLIO_JWT_SECRET))
  })

  it('serves with the service that the composition starts, and leaves no signal handler behind', async () => {
    const before = process.listenerCount('SIGTERM')
    let port: unknown
    const { code, stderr } = await callCli(['serve', '--port', '4711'], {
      composition: {
        startService: async (config) => {
          port = config.port
          throw new Problem('SRV111', 'The port is taken', { hint: 'Choose another one.' })
        },
      },
    })
    assert.equal(port, 4711)
    assert.deepEqual([code, stderr], [2, 'tripfolio: The port is taken\n           Choose another one.\n'])
    assert.equal(process.listenerCount('SIGTERM'), before)
  })

  it('keeps the exit codes of two calls apart', async () => {
    // A test of the same process that has failed sets it, too.
    const before = process.exitCode
    const failing = await callCli(['script', 'run', '-'], { input: 'fail "no"' })
    const fine = await callCli(['script', 'run', '-'], { input: 'Data.a = 1' })
    assert.deepEqual([failing.code, fine.code, process.exitCode], [1, 0, before])
  })
})
