import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { SMALL_SERVICE } from './tripfolio-process.ts'

it('npm start ends the service when npm is ended', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'tripfolio-npm-'))
  t.after(() => rmSync(data, { recursive: true, force: true }))
  // A first run, which is not what is tested, would make a demo and refresh from it.
  await publishExtract({ data }, fixtureExtract)
  // A process group of its own has npm and everything that it started.
  const npm = spawn('npm', ['start', '--', '--data', data, '--port', '0'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, ...SMALL_SERVICE, npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const group = -(npm.pid ?? assert.fail('npm did not start'))
  const ended = new Promise((resolve) => npm.once('exit', resolve))
  try {
    let printed = ''
    for await (const text of npm.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      printed += text
      if (printed.includes('service started')) break
    }
    npm.stdout.resume()
    npm.kill('SIGTERM')
    await ended
    assert.throws(() => process.kill(group, 0), { code: 'ESRCH' })
  } finally {
    endGroup(group)
  }
})

function endGroup(group: number): void {
  try {
    process.kill(group, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
