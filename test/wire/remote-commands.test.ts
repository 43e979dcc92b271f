/** The same commands on a data folder and, with `--server`, on a service: each case runs on both. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { spend } from '../../src/automation/testing/definitions.ts'
import { remoteService } from '../../src/cli/remote/remote-service.ts'
import type { Called } from '../../src/cli/testing/call-cli.ts'
import { openHistory } from '../../src/directory/open-stores.ts'
import { runCommand } from '../process/run-command.ts'
import { startPathProxy } from './path-proxy.ts'
import { type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

const script = 'Log("Information", "ran")\nData._payload = {answer: 42}\n'
const yamlOf = (name: string, path: string, more = '') =>
  `name: ${name}\ncategory: Utility\nmethod: GET\npath: ${path}\n${more}`

let admin: EndpointAdmin
let root: string
let server: string
before(async () => {
  admin = await startEndpointAdmin()
  server = new URL(admin.url).origin
  root = await mkdtemp(join(tmpdir(), 'tripfolio-remote-'))
  const data = join(root, 'data')
  await mkdir(data)
  await writeFile(join(data, 'tripfolio.json'), '{}')
})
after(async () => {
  await admin.close()
  await rm(root, { recursive: true, force: true })
})

type Run = (args: readonly string[], input?: string) => Promise<Called>

const places: readonly (readonly [name: string, run: Run])[] = [
  ['a data folder', (args, input) => runCommand([...args, '--data', join(root, 'data')], {}, input)],
  [
    'a service',
    (args, input) => runCommand([...args, '--server', server], { TRIPFOLIO_TOKEN: 'admin' }, input),
  ],
]

let folders = 0
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(root, `files-${folders++}`)
  await mkdir(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

async function done(called: Promise<Called>): Promise<string> {
  const { code, stdout, stderr } = await called
  assert.equal(code, 0, stderr)
  return stdout
}

for (const [place, run] of places) {
  describe(`commands for endpoints on ${place}`, () => {
    it('push, list and pull what they find', async () => {
      const folder = await folderWith({ 'a.yaml': yamlOf('Alpha', 'alpha'), 'a.jyro': script })
      const dry = await done(run(['endpoint', 'push', folder, '--publish', '--dry-run']))
      assert.match(dry, /^Alpha +created +version 1 [\s\S]*nothing was changed/m)
      const pushed = await done(run(['endpoint', 'push', folder, '--publish', '--note', 'June']))
      assert.match(pushed, /^Alpha +created +version 1 /m)
      assert.match(await done(run(['endpoint', 'push', folder, '--publish'])), /^Alpha +unchanged +- /m)
      const listed = JSON.parse(await done(run(['endpoint', 'list', '--text', 'alph', '--json'])))
      assert.deepEqual(Object.keys(listed[0]).sort(), [
        'active',
        'createdAt',
        'draft',
        'draftChangedAt',
        'draftChangedBy',
        'draftRevision',
        'hasUnpublishedChanges',
        'id',
        'published',
      ])
      const fresh = join(folder, 'fresh')
      await done(run(['endpoint', 'pull', fresh, 'ALPHA']))
      assert.deepEqual((await readdir(fresh)).filter((name) => !name.startsWith('.')).sort(), [
        'alpha.jyro',
        'alpha.yaml',
      ])
      assert.equal(await readFile(join(fresh, 'alpha.jyro'), 'utf8'), script)
    })

    it('push modules with the endpoints that import them, and publish both again when a module changes', async () => {
      const folder = await folderWith({
        'm.yaml': yamlOf('Fees', 'fees'),
        'm.jyro': 'import "fees"\nData._payload = fee(50)\n',
        'fees.module.jyro': 'func fee(n)\n  return n / 2\nend\n',
      })
      const push = async () => {
        const { modules, endpoints } = JSON.parse(
          await done(run(['endpoint', 'push', folder, '--publish', '--json'])),
        )
        return [...modules, ...endpoints].map(({ draft, publishedVersion }) => [draft, publishedVersion])
      }
      assert.deepEqual(await push(), [
        ['created', 1],
        ['created', 1],
      ])
      assert.deepEqual(await push(), [
        ['unchanged', null],
        ['unchanged', null],
      ])
      await writeFile(join(folder, 'fees.module.jyro'), 'func fee(n)\n  return n / 5\nend\n')
      // A test runs the modules of the folder, which are not published yet.
      await writeFile(join(folder, 'm.request.json'), '{}')
      await writeFile(join(folder, 'm.expect.json'), '{"status": 200, "body": 10}')
      assert.match(await done(run(['endpoint', 'test', folder])), /1 of 1 are as they should be/)
      assert.deepEqual(await push(), [
        ['changed', 2],
        ['unchanged', 2],
      ])
      await done(run(['endpoint', 'delete', 'fees', '--yes']))
    })

    it('push what is published already over other drafts, and publish nothing then', async () => {
      const published = {
        'g.yaml': yamlOf('Git', 'git'),
        'g.jyro': 'import "git"\nData._payload = g()\n',
        'git.module.jyro': 'func g()\n  return 1\nend\n',
      }
      const push = async (files: Readonly<Record<string, string>>, ...options: readonly string[]) => {
        const folder = await folderWith({ ...published, ...files })
        const { modules, endpoints } = JSON.parse(
          await done(run(['endpoint', 'push', folder, '--json', ...options])),
        )
        return [...modules, ...endpoints].map(({ draft, publishedVersion }) => [draft, publishedVersion])
      }
      await push({}, '--publish')
      await push({ 'g.jyro': 'Data._payload = 2\n', 'git.module.jyro': 'func g() end\n' })
      const back = [
        ['changed', null],
        ['changed', null],
      ]
      assert.deepEqual(await push({}, '--publish', '--dry-run'), back)
      assert.deepEqual(await push({}, '--publish'), back)
      assert.deepEqual(await push({}, '--publish'), Array(2).fill(['unchanged', null]))
      await done(run(['endpoint', 'delete', 'git', '--yes']))
    })

    it('pull the modules beside the endpoints that import them, so that a push elsewhere restores both', async () => {
      const fees = 'import "money"\nfunc fee(n)\n  return halved(n)\nend\n'
      const files = {
        'tax.yaml': yamlOf('Tax', 'tax'),
        'tax.jyro': 'import "tax-fees"\nData._payload = fee(50)\n',
        'tax-fees.module.jyro': fees,
        'money.module.jyro': 'func halved(n)\n  return n / 2\nend\n',
        'alone.module.jyro': 'func alone()\n  return 1\nend\n',
      }
      const folder = await folderWith(files)
      await done(run(['endpoint', 'push', folder, '--publish']))
      const named = join(folder, 'named')
      const pulled = JSON.parse(await done(run(['endpoint', 'pull', named, 'tax', '--json'])))
      assert.deepEqual(
        pulled.map((one: { kind: string; name: string; outcome: string }) => [
          one.kind,
          one.name,
          one.outcome,
        ]),
        [
          ['endpoint', 'Tax', 'created'],
          ['module', 'money', 'created'],
          ['module', 'tax-fees', 'created'],
        ],
      )
      for (const name of ['tax.yaml', 'tax.jyro', 'tax-fees.module.jyro', 'money.module.jyro'] as const) {
        assert.equal(await readFile(join(named, name), 'utf8'), files[name])
      }
      const other = await folderWith({ 'tripfolio.json': '{}' })
      await done(runCommand(['endpoint', 'push', named, '--publish', '--data', other]))
      const everything = join(folder, 'everything')
      await done(run(['endpoint', 'pull', everything, '--published']))
      assert.ok((await readdir(everything)).includes('alone.module.jyro'))
      // Edits are not lost; what was pushed, and what is a version, is no edit.
      const path = join(named, 'money.module.jyro')
      await writeFile(path, 'func halved(n)\n  return n / 4\nend\n')
      const lost = await run(['endpoint', 'pull', named, 'tax'])
      assert.equal(lost.code, 1)
      assert.match(
        lost.stderr,
        /edits in .*money\.module\.jyro; nothing was written\n[\s\S]*- {2}return n \/ 4\n *\+/,
      )
      await done(run(['endpoint', 'push', named, '--publish']))
      assert.match(
        await done(run(['endpoint', 'pull', everything])),
        /^module money +changed +\S*money\.module\.jyro$/m,
      )
      await done(run(['endpoint', 'delete', 'tax', '--yes']))
    })

    it('show versions and differences, restore one, and remove it all', async () => {
      const folder = await folderWith({ 'b.yaml': yamlOf('Beta', 'beta'), 'b.jyro': script })
      await done(run(['endpoint', 'push', folder, '--publish', '--note', 'First']))
      assert.match(
        await done(run(['endpoint', 'diff', 'beta'])),
        /^Version 1 and The draft are equal\.$|equal/m,
      )
      await writeFile(join(folder, 'b.jyro'), script.replace('42', '43'))
      await writeFile(join(folder, 'b.yaml'), yamlOf('Beta', 'beta', 'description: Counts\n'))
      await done(run(['endpoint', 'push', folder]))
      const difference = await done(run(['endpoint', 'diff', 'Beta', '1', 'draft']))
      assert.match(difference, /^description\n- ""\n\+ "Counts"\n[\s\S]*^-.*42\}\n\+.*43\}/m)
      assert.match(await done(run(['endpoint', 'versions', 'beta'])), /^ +1 .* First$/m)
      const unsure = await run(['endpoint', 'restore', 'beta', '1'])
      assert.equal(unsure.code, 2)
      assert.match(unsure.stderr, /because there is no terminal to ask/)
      await done(run(['endpoint', 'restore', 'beta', '1', '--yes']))
      assert.match(await done(run(['endpoint', 'diff', 'beta'])), /equal/)
      assert.match(
        (await run(['endpoint', 'restore', 'beta', '7', '--yes', '--json'])).stderr,
        /"code":"DIR302".*found 7/,
      )
      assert.equal((await run(['endpoint', 'delete', 'beta'])).code, 2)
      assert.match(await done(run(['endpoint', 'delete', 'beta', '--yes'])), /^'Beta' is removed\.$/m)
      const gone = await run(['endpoint', 'versions', 'beta', '--json'])
      assert.equal(gone.code, 1)
      assert.equal(JSON.parse(gone.stderr).error.code, 'DIR301')
    })

    it('test endpoints with the requests beside them, as the caller that is given, and update what to expect', async () => {
      const json = (value: unknown) => JSON.stringify(value)
      const folder = await folderWith({
        'c.yaml': yamlOf('Caller', 'caller/{id}'),
        'c.jyro':
          'Data._payload = {id: Data.request.params.id, roles: Data.request.user.roles}\nCreateOrganization("Held", "back")\n',
        'c.request.json': json({ params: { id: 'x' }, user: { roles: ['a'] } }),
        'c.expect.json': json({ status: 200, body: { id: 'x', roles: ['a'] } }),
        'c.second.request.json': json({ params: { id: 'y' }, user: null }),
        'c.d.yaml': yamlOf('Untested', 'untested'),
        'c.d.jyro': script,
      })
      await done(run(['endpoint', 'push', folder]))
      const good = await run(['endpoint', 'test', folder])
      assert.equal(good.code, 0, good.stderr)
      assert.match(good.stdout, /^c +200 +passed +\d+\nc\.second +200 +not compared +\d+\n\n2 of 2 /m)
      assert.match(good.stderr, /c\.d\.yaml has no sample request$/m)
      const other = ['endpoint', 'test', join(folder, 'c.yaml'), '--claims', '{"name":"Ada"}']
      const bad = await run([...other, '--role', 'b', '--role', 'c', '--json'])
      assert.equal(bad.code, 1)
      const { cases, failed } = JSON.parse(bad.stdout)
      assert.deepEqual([failed, cases[0].result, cases[1].result], [1, 'failed', 'not compared'])
      assert.match(cases[0].reason, /- +"a"\n\+ +"b",\n\+ +"c"/)
      await writeFile(join(folder, 'c.second.request.json'), json({}))
      const unfit = await run(['endpoint', 'test', folder, '--json'])
      assert.match(JSON.parse(unfit.stdout).cases[1].reason, /params\/id is missing/)
      await writeFile(join(folder, 'c.second.request.json'), json({ params: { id: 'y' } }))
      assert.match(await done(run([...other, '--update', '--role', 'b'])), /^c +200 +updated /m)
      assert.deepEqual(JSON.parse(await readFile(join(folder, 'c.expect.json'), 'utf8')), {
        status: 200,
        body: { id: 'x', roles: ['b'] },
      })
      const second = JSON.parse(await readFile(join(folder, 'c.second.expect.json'), 'utf8'))
      assert.deepEqual(second.heldWrites, ['organization.create'])
      assert.match(await done(run([...other, '--role', 'b'])), /^2 of 2 /m)
      const nothing = await run(['endpoint', 'test', join(folder, 'c.d.yaml'), '--json'])
      assert.deepEqual([nothing.code, JSON.parse(nothing.stderr).error.code], [2, 'END209'])
      const request = ['--request', join(folder, 'c.request.json'), '--claims', 'null']
      assert.match(await done(run(['endpoint', 'trial', join(folder, 'c.yaml'), ...request])), /"roles":\[\]/)
      await done(run(['endpoint', 'delete', 'Untested', '--yes']))
      await done(run(['endpoint', 'delete', 'Caller', '--yes']))
    })

    it('list, pause, resume and run schedules', async () => {
      const nightly = 'schedules:\n  - {name: nightly, cron: 30 5 * * *, missedRuns: once}\n'
      const folder = await folderWith({ 's.yaml': yamlOf('Timed', 'timed', nightly), 's.jyro': script })
      await done(run(['endpoint', 'push', folder, '--publish']))
      const [listed] = JSON.parse(await done(run(['schedule', 'list', '--text', 'timed', '--json'])))
      assert.deepEqual([listed.name, listed.state, listed.lastRun], ['nightly', 'Active', null])
      const paused = await done(run(['schedule', 'pause', 'timed', 'nightly', '--json']))
      assert.equal(JSON.parse(paused)[0].state, 'Paused')
      assert.match(await done(run(['schedule', 'resume', 'Timed', 'nightly'])), /active +\S+T05:30:00/)
      assert.match(await done(run(['schedule', 'run', 'Timed', 'nightly'])), /^Run \S{36} begins/)
      const again = await run(['schedule', 'run', 'Timed', 'nightly', '--json'])
      assert.deepEqual([again.code, JSON.parse(again.stderr).error.code], [1, 'DIR472'])
      const unknown = await run(['schedule', 'pause', 'Timed', 'weekly', '--json'])
      assert.equal(JSON.parse(unknown.stderr).error.code, 'DIR471')
      await done(run(['endpoint', 'delete', 'timed', '--yes']))
    })

    it('set, list and delete secrets', async () => {
      assert.match(
        await done(run(['secret', 'set', 'Key', '--description', 'For a test'], 'value\n')),
        /^Secret Key is active\. Its value is set\.$/m,
      )
      const listed = await done(run(['secret', 'list']))
      assert.match(listed, /^Key +active +For a test /m)
      assert.ok(!listed.includes('value'))
      await done(run(['secret', 'set', 'key', '--disable', '--keep-value']))
      assert.match(await done(run(['secret', 'list'])), /^Key +disabled /m)
      await done(run(['secret', 'delete', 'KEY', '--yes']))
      const again = await run(['secret', 'delete', 'KEY', '--yes', '--json'])
      assert.equal(JSON.parse(again.stderr).error.code, 'DIR458')
      const bad = await run(['secret', 'set', 'new', '--keep-value', '--json'])
      assert.match(JSON.parse(bad.stderr).error.code, /^DIR/)
    })

    it('say that there is no such run', async () => {
      const id = crypto.randomUUID()
      const { code, stderr } = await run(['execution', 'show', id, '--json'])
      assert.equal(code, 1)
      assert.equal(JSON.parse(stderr).error.code, 'END131')
    })
  })
}

describe('tripfolio execution', () => {
  const [[, onFolder], [, onService]] = places as [(typeof places)[0], (typeof places)[0]]

  it('lists and shows the same runs on a data folder and on a service, which alone can repeat one', async () => {
    const folder = await folderWith({ 'e.yaml': yamlOf('Echo', 'echo'), 'e.jyro': script })
    await done(onService(['endpoint', 'push', folder, '--publish']))
    const { id: endpointId } = await admin.store.endpoints.find('Echo')
    const id = await admin.call(endpointId)
    const listed = await done(onService(['execution', 'list', '--endpoint', 'echo', '--limit', '1']))
    assert.match(listed, new RegExp(`^\\S+ +${id} +Echo +DynamicEndpoint +Success +200 `, 'm'))
    const shown = await done(onService(['execution', 'show', id]))
    assert.match(
      shown,
      /^endpoint +Echo, version 1\n[\s\S]*^GET \/api\/dynamic\/v1\/echo\n[\s\S]*Log:\n.*ran$/m,
    )
    const run = await admin.history.find(id)
    assert.ok(run)
    const history = await openHistory(join(root, 'data'))
    await history.record([run])
    await history.close()
    await done(onFolder(['endpoint', 'push', folder, '--publish']))
    assert.equal(await done(onFolder(['execution', 'show', id])), shown)
    assert.equal(
      await done(onFolder(['execution', 'list', '--text', 'echo', '--json'])),
      await done(onService(['execution', 'list', '--text', 'echo', '--json'])),
    )
    const none = await done(onFolder(['execution', 'list', '--status', 'Failed', '--from', '2026-01-01']))
    assert.equal(none, 'There are no such runs.\n')
    assert.match((await onFolder(['execution', 'list', '--from', 'x'])).stderr, /Expected a date/)
    const repeated = JSON.parse(await done(onService(['execution', 'rerun', id, '--json'])))
    assert.deepEqual([repeated.execution.rerunOf, repeated.response.status], [id, 200])
    const local = await onFolder(['execution', 'rerun', id, '--json'])
    assert.deepEqual([local.code, JSON.parse(local.stderr).error.code], [2, 'END207'])
  })
})

describe('a change on a service elsewhere', () => {
  it('is refused when another change was made since the command has read what it changes', async () => {
    const service = remoteService({ server, token: 'admin' })
    const { id } = await admin.store.endpoints.create(spend, 'test')
    const { draft, draftRevision } = await service.endpoints.find(id)
    await admin.store.endpoints.saveDraft(id, { ...draft, description: 'Changed' }, 'test')
    const refused = (code: string) => ({ code, name: 'Problem' })
    await assert.rejects(service.endpoints.remove(id, ''), refused('ADM125'))
    await assert.rejects(service.endpoints.restore(id, 1, ''), refused('ADM125'))
    await assert.rejects(service.endpoints.saveDraft(id, draft, '', draftRevision), refused('DIR311'))
    await service.endpoints.find(id)
    await service.endpoints.remove(id, '')
  })
})

describe('a command on a service elsewhere', () => {
  const list = (address: string, env: Readonly<Record<string, string>> = { TRIPFOLIO_TOKEN: 'admin' }) =>
    runCommand(['endpoint', 'list', '--json', '--server', address], env)
  const codeOf = ({ stderr }: Called) => JSON.parse(stderr).error.code

  it('reads the code of a refusal from a header, which only the admin API sends', async () => {
    const headers = { authorization: 'Bearer admin' }
    const refused = await fetch(`${server}/api/admin/v1/endpoints/${crypto.randomUUID()}`, { headers })
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [404, 'DIR301'])
    assert.deepEqual(Object.keys((await refused.json()) as object), ['error'])
    const elsewhere = await fetch(`${server}/api/v2/bookings`)
    assert.deepEqual([elsewhere.ok, elsewhere.headers.get('x-error-code')], [false, null])
  })

  it('takes the token from the environment, a file or an option', async () => {
    const file = join(await folderWith({ token: 'admin\n' }), 'token')
    await done(runCommand(['endpoint', 'list', '--server', server, '--token-file', file]))
    await done(runCommand(['endpoint', 'list', '--server', server, '--token', 'admin']))
    for (const given of [[], ['--token-file', join(root, 'nowhere')], ['--token', 'a b']]) {
      const called = await runCommand(['endpoint', 'list', '--json', '--server', server, ...given])
      assert.deepEqual([called.code, codeOf(called)], [2, 'END201'])
    }
    const alone = await runCommand(['endpoint', 'list', '--json', '--token', 'admin'])
    assert.equal(codeOf(alone), 'END201')
    const both = await runCommand(['endpoint', 'list', '--json', '--server', server, '--data', root])
    assert.equal(codeOf(both), 'CFG220')
    // The token of a person is no setting of the service.
    const local = await runCommand(['endpoint', 'list', '--data', join(root, 'data')], {
      TRIPFOLIO_TOKEN: 'x',
    })
    assert.equal(local.code, 0, local.stderr)
  })

  it('calls a service below a path', async () => {
    const proxy = await startPathProxy(server, { path: '/intranet/travel', strips: true })
    try {
      for (const end of ['', '/']) {
        const address = `${proxy.origin}/intranet/travel${end}`
        const given = ['--server', address, '--token', 'admin']
        assert.equal(
          await done(runCommand(['endpoint', 'list', '--json', ...given])),
          await done(list(server)),
        )
        const refused = await runCommand(['execution', 'show', crypto.randomUUID(), '--json', ...given])
        assert.equal(codeOf(refused), 'END131')
      }
      assert.deepEqual(proxy.strays, [])
    } finally {
      await proxy.close()
    }
  })

  it('refuses what is not the address of a service', async () => {
    for (const address of [
      ...['nowhere', 'ftp://a.example', 'https://a.example/api', 'https://u:p@a.example'],
      ...[
        'https://a.example/travel/console#/endpoints',
        'https://a.example/travel/console',
        'https://a.example/docs/',
      ],
      ...['https://a.example/travel/api/admin/v1', 'https://a.example//travel', 'https://a.example/a%20b'],
      'https://a.example/travel?a=b',
    ]) {
      const called = await list(address)
      assert.deepEqual([called.code, codeOf(called)], [2, 'END200'], address)
      assert.ok(!called.stderr.includes('u:p'))
    }
  })

  it('says what the service does not let it do, and what to do', async () => {
    const unknown = await list(server, { TRIPFOLIO_TOKEN: 'stranger' })
    assert.deepEqual([unknown.code, codeOf(unknown)], [1, 'END204'])
    const folder = await folderWith({ 'v.yaml': yamlOf('Viewed', 'viewed'), 'v.jyro': script })
    const viewer = { TRIPFOLIO_TOKEN: 'viewer' }
    const secret = ['secret', 'set', 'x', '--json', '--server', server]
    const forbidden = await runCommand(secret, viewer, 'value')
    assert.deepEqual([forbidden.code, codeOf(forbidden)], [1, 'END205'])
    assert.match(forbidden.stderr, /a token with the role admin/)
    const push = await runCommand(['endpoint', 'push', folder, '--dry-run', '--server', server], viewer)
    assert.equal(push.code, 1)
  })

  it('says that it cannot reach the service, cannot trust it, or does not understand it', async () => {
    const other = createServer((request, response) => {
      if (request.url?.startsWith('/api/admin/v1/endpoints?'))
        response.writeHead(302, { location: '/x' }).end()
      else response.end('<html>')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    try {
      const redirected = await list(`http://127.0.0.1:${port}`)
      assert.deepEqual([redirected.code, codeOf(redirected)], [1, 'END206'])
      const show = ['execution', 'show', 'x', '--json', '--server', `http://127.0.0.1:${port}`]
      assert.equal(codeOf(await runCommand(show, { TRIPFOLIO_TOKEN: 'x' })), 'END206')
      const untrusted = await list(`https://127.0.0.1:${port}`)
      assert.deepEqual([untrusted.code, codeOf(untrusted)], [2, 'END203'])
    } finally {
      other.close()
      other.closeAllConnections()
    }
    const away = await list(`http://127.0.0.1:${port}`)
    assert.deepEqual([away.code, codeOf(away)], [4, 'END202'])
    assert.match(away.stderr, /cannot be reached/)
  })
})
