/** Modules in a folder of endpoints: pushed, published and tried with the endpoints that import them. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { runCommand } from './run-command.ts'

it('endpoint push saves and publishes the modules of a folder, and endpoints again when only a module changed', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tripfolio-modules-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const data = join(root, 'data')
  await mkdir(data)
  await writeFile(join(data, 'tripfolio.json'), '{}')
  const write = (name: string, text: string) => writeFile(join(root, name), text)
  const push = async (...args: readonly string[]) => {
    const {
      stdout,
      stderr,
      code: exitCode,
    } = await runCommand([...['endpoint', 'push', root, '--json', '--data', data], ...args])
    return { stderr, exitCode, report: stdout === '' ? null : JSON.parse(stdout) }
  }
  const published = ({ report }: Awaited<ReturnType<typeof push>>) =>
    [...report.modules, ...report.endpoints].map(({ draft, publishedVersion }) => [draft, publishedVersion])

  await write('spend.yaml', 'name: Spend\ncategory: Utility\nmethod: GET\npath: spend\n')
  await write('spend.jyro', 'import "fees"\nData._payload = fee(50)\n')
  const missing = await push('--publish')
  assert.equal(missing.exitCode, 1, missing.stderr)
  assert.match(JSON.stringify(missing), /Module 'fees' is not published/)

  await write('fees.module.jyro', 'import "money"\nfunc fee(n)\n  return halved(n)\nend\n')
  await write('money.module.jyro', 'func halved(n)\n  return n / 2\n')
  assert.match(JSON.stringify(await push()), /money\.module\.jyro/)
  await write('money.module.jyro', 'func halved(n)\n  return n / 2\nend\n')
  const first = [
    ['created', 1],
    ['created', 1],
    ['created', 1],
  ]
  assert.deepEqual(published(await push('--publish', '--dry-run')), first)
  assert.deepEqual(published(await push('--publish')), first)
  const unchanged = published(await push('--publish'))
  assert.deepEqual(unchanged, Array(3).fill(['unchanged', null]))

  await write('request.json', '{}')
  const trial = ['endpoint', 'test', join(root, 'spend.yaml'), '--request', join(root, 'request.json')]
  assert.match((await runCommand([...trial, '--data', data])).stdout, /25/)
  await write('money.module.jyro', 'func halved(n)\n  return n / 2 + 1\nend\n')
  assert.match((await runCommand([...trial, '--data', data])).stdout, /26/)
  assert.deepEqual(published(await push('--publish')), [
    ['unchanged', null],
    ['changed', 2],
    ['unchanged', 2],
  ])

  await write('Wrong Name.module.jyro', '')
  assert.match(JSON.stringify(await push()), /END151/)
})
