import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Summary } from './summary-reporter.ts'

const runGroup = fileURLToPath(new URL('run-group.ts', import.meta.url))

describe('the process of a group', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tripfolio-group-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Runs files, each with these lines in it. */
  const run = (...tests: readonly string[]) => runWith({}, ...tests)

  function runWith(settings: Readonly<Record<string, string>>, ...tests: readonly string[]) {
    const summary = join(folder, 'summary.json')
    const files = tests.map((lines, at) => {
      const file = join(folder, `${at}.test.mjs`)
      writeFileSync(
        file,
        `import { after, it } from 'node:test'
         import { setTimeout as wait } from 'node:timers/promises'
         ${lines}`,
      )
      return file
    })
    const args = ['--disable-warning=ExperimentalWarning', runGroup, summary, ...files]
    // The process of a group that runs inside of another one would tell that one its results.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    rmSync(summary, { force: true })
    const options = { env: { ...env, ...settings }, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
    return {
      ...{ status, stdout, stderr },
      get summary() {
        return JSON.parse(readFileSync(summary, 'utf8')) as Summary
      },
    }
  }

  it('fails by a test that fails, and by an error that only a timer throws, and names both', () => {
    const { status, summary } = run(
      `it('adds', () => {})
       it('throws', async () => { await wait(1); throw new Error('wrong') })`,
      `it('throws later', async () => { setTimeout(() => { throw new Error('late') }, 1); await wait(50) })`,
    )
    const { tests, passed, success, failures } = summary
    assert.deepEqual({ status, tests, passed, success }, { status: 1, tests: 3, passed: 1, success: false })
    assert.deepEqual(
      failures.map(({ name }) => name),
      ['throws', 'throws later'],
    )
  })

  it('fails by a promise that nobody catches, and prints its error', () => {
    const { status, stdout, summary } = run(
      `it('forgets a promise', async () => { Promise.reject(new Error('lost')); await wait(1) })`,
    )
    assert.deepEqual({ status, success: summary.success }, { status: 1, success: false })
    assert.match(stdout, /lost/)
  })

  it('fails by a file that cannot be loaded, and prints its error', () => {
    const { status, stderr } = run("it('adds', () => {})", "throw new Error('broken')")
    assert.equal(status, 1)
    assert.match(stderr, /broken/)
  })

  it('runs what a test hands to `after` when that test ends', () => {
    const { status, stdout } = run(
      `it('first', async () => { await wait(1); after(() => console.log('tidied')) })
       it('second', () => console.log('second'))`,
    )
    assert.equal(status, 0)
    assert.match(stdout, /tidied\s[\s\S]*second/)
  })

  it('fails when no test begins or ends any more, and names the tests that are running', () => {
    const { status, stdout } = runWith(
      { TEST_SILENT_SECONDS: '1' },
      `it('ends', () => {})
       it('waits for ever', () => new Promise(() => setInterval(() => {}, 1000)))`,
    )
    assert.equal(status, 1)
    assert.match(stdout, /no test has begun or ended for 1 s, in \S+0\.test\.mjs: waits for ever\n/)
  })

  it('prints the processes and connections that such a test waits for', () => {
    const { stdout } = runWith(
      { TEST_SILENT_SECONDS: '1' },
      `import { spawn } from 'node:child_process'
       import { createServer } from 'node:http'
       it('waits for an answer', async () => {
         const { pid } = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 5_000)'])
         const server = createServer(() => {})
         await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
         console.log('expected', pid, server.address().port)
         await fetch('http://127.0.0.1:' + server.address().port)
       })`,
    )
    const [, pid, port] = /expected (\d+) (\d+)/.exec(stdout) ?? assert.fail(stdout)
    assert.match(stdout, new RegExp(`waits for process ${pid}\n`))
    assert.match(stdout, new RegExp(`waits for tcp \\d+ to ${port}\n`))
    if (spawnSync('ps', ['-V']).status === 0) assert.match(stdout, new RegExp(` ${pid} .*setTimeout`))
  })
})
