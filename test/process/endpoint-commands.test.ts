import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { runCommand } from './run-command.ts'
import { runTripfolio } from './tripfolio-process.ts'

const yamlOf = (name: string, path: string, more = '') =>
  `name: ${name}\ncategory: Utility\nmethod: GET\npath: ${path}\n${more}`
/** Without the record of what was pulled. */
const filesOf = async (folder: string) =>
  (await readdir(folder)).filter((name) => name !== '.tripfolio-pulled.json').sort()
const script = 'Data._payload = Length(GetAllOrganizations())\n'

/** A data folder with settings only, and a folder of files. */
async function makePlace(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const root = await mkdtemp(join(tmpdir(), 'tripfolio-endpoint-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const [data, folder] = [join(root, 'data'), join(root, 'files')]
  await mkdir(folder)
  await mkdir(data)
  await writeFile(join(data, 'tripfolio.json'), '{}')
  const write = async (more: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(more)) await writeFile(join(folder, name), text)
  }
  await write(files)
  return {
    data,
    folder,
    write,
    read: (name: string) => readFile(join(folder, name), 'utf8'),
    run: (verb: string, ...args: readonly string[]) =>
      runCommand(['endpoint', verb, ...args, '--data', data]),
    /** By a real start. */
    start: (verb: string, ...args: readonly string[]) =>
      runTripfolio(['endpoint', verb, ...args, '--data', data]),
    withStore: async <T>(work: (store: ControlStore) => Promise<T>): Promise<T> => {
      const store = await openControlStore(data)
      try {
        return await work(store)
      } finally {
        await store.close()
      }
    },
  }
}

describe('tripfolio endpoint push', () => {
  it('creates, saves what differs, publishes what differs, and says so', async (t) => {
    const { folder, run, write, withStore } = await makePlace(t, {
      'one.yaml': yamlOf('One', 'one', 'script: first.jyro\n'),
      'first.jyro': script,
      'two.yaml': yamlOf('Two', 'two'),
      'two.jyro': script,
    })
    const told = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await run('push', folder, '--json', ...args)
      assert.deepEqual([code, stderr], [0, ''])
      const { endpoints } = JSON.parse(stdout) as { endpoints: Record<string, unknown>[] }
      return endpoints.map(({ name, draft, publishedVersion, active }) => [
        name,
        draft,
        publishedVersion,
        active,
      ])
    }
    assert.deepEqual(await told(), [
      ['One', 'created', null, false],
      ['Two', 'created', null, false],
    ])
    await write({ 'two.jyro': `${script}# more\r\n`, 'two.yaml': yamlOf('TWO', 'two') })
    assert.deepEqual(await told('--publish', '--note', 'June'), [
      ['One', 'unchanged', 1, true],
      ['TWO', 'changed', 1, true],
    ])
    // Line ends do not count as a difference.
    await write({ 'two.jyro': `${script}# more\n` })
    assert.deepEqual(await told('--publish'), [
      ['One', 'unchanged', null, true],
      ['TWO', 'unchanged', null, true],
    ])
    await withStore(async ({ endpoints, audit }) => {
      const versions = await endpoints.versions((await endpoints.find('two')).id)
      assert.deepEqual(
        versions.map(({ version, note, definition }) => [version, note, definition.script]),
        [[1, 'June', `${script}# more\n`]],
      )
      const { items } = await audit.list({ limit: 100 })
      assert.equal(items.length, 5)
      assert.ok(items.every(({ actor }) => actor.startsWith('operator:')))
    })
  })

  it('says what would be, and makes not even a store, when only looking', async (t) => {
    const { data, folder, start } = await makePlace(t, { 'a.yaml': yamlOf('A', 'a'), 'a.jyro': script })
    const { code, stdout } = await start('push', join(folder, 'a.yaml'), '--publish', '--dry-run')
    assert.equal(code, 0)
    assert.match(stdout, /^A +created +version 1 .*a\.yaml$[\s\S]*nothing was changed/m)
    assert.equal(existsSync(join(data, 'control.db')), false)
  })

  it('changes nothing when anything is wrong, and says all that is, with file, line and column', async (t) => {
    const { folder, run, data } = await makePlace(t, {
      'fine.yaml': yamlOf('Fine', 'fine'),
      'fine.jyro': script,
      'slip.yaml': yamlOf('Slip', 'slip', 'alowedRoles: []\n'),
      'slip.jyro': 'Data.x = Lenght([])\nData.y = GetOrganisationById("a")\n',
      'lost.yaml': yamlOf('Lost', 'lost'),
      'again.yaml': yamlOf('FINE', 'other'),
      'again.jyro': script,
      'route.yaml': yamlOf('Route', 'FINE'),
      'route.jyro': script,
    })
    const { code, stderr, stdout } = await run('push', folder, '--json')
    assert.equal(code, 1)
    for (const expected of [
      /slip\.yaml:5:1: END142 .*alowedRoles.*allowedRoles\?\nalowedRoles: \[\]\n\^\n/,
      /slip\.jyro:1:16: JM4100 .*Length/,
      /slip\.jyro:2:29: JM4100 .*GetOrganizationById/,
      /lost\.yaml:1:1: END149 .*lost\.jyro/,
      /fine\.yaml:1:7: DIR313 .*again\.yaml/,
      /route\.yaml:4:7: DIR310 .*fine\.yaml|fine\.yaml:4:7: DIR310/,
    ]) {
      assert.match(stderr, expected)
    }
    const { faults } = JSON.parse(stdout) as { faults: Record<string, unknown>[] }
    assert.deepEqual(
      faults.map(({ code }) => code),
      ['END149', 'END142', 'JM4100', 'JM4100', 'DIR313', 'DIR310'],
    )
    assert.equal(existsSync(join(data, 'control.db')), false)
  })

  it('finds what the store would refuse before it changes anything', async (t) => {
    const { folder, run, withStore, write } = await makePlace(t, {
      'a.yaml': yamlOf('A', 'a'),
      'a.jyro': script,
    })
    assert.equal((await run('push', folder, '--publish')).code, 0)
    await write({ 'a.yaml': yamlOf('A', 'elsewhere'), 'b.yaml': yamlOf('B', 'A'), 'b.jyro': script })
    const { code, stderr } = await run('push', folder)
    assert.equal(code, 1)
    // The draft of A still has it, and so has what is published of it.
    assert.match(stderr, /b\.yaml:4:7: DIR310 .*'A'/)
    const [only, ...others] = await withStore(({ endpoints }) => endpoints.list())
    assert.deepEqual([only?.draft.path, others], ['a', []])
  })

  it('keeps a published path for its endpoint after the draft has another', async (t) => {
    const { folder, run, write } = await makePlace(t, { 'a.yaml': yamlOf('A', 'a'), 'a.jyro': script })
    assert.equal((await run('push', folder, '--publish')).code, 0)
    await write({ 'a.yaml': yamlOf('A', 'elsewhere') })
    assert.equal((await run('push', folder)).code, 0)
    await write({ 'b.yaml': yamlOf('B', 'a'), 'b.jyro': script })
    const { code, stderr } = await run('push', folder)
    assert.equal(code, 1)
    assert.match(stderr, /DIR310 .*published version of 'A'/)
  })

  it('says which secret is missing that signatures are checked by', async (t) => {
    const signature = 'signature:\n  style: github\n  secret: provider\n'
    const { folder, run } = await makePlace(t, { 'a.yaml': yamlOf('A', 'a', signature), 'a.jyro': script })
    const { code, stderr } = await run('push', folder)
    assert.equal(code, 0)
    assert.match(
      stderr,
      /^tripfolio: 'A' .*'provider', which is not stored yet: `tripfolio secret set 'provider' < FILE`\n$/,
    )
  })

  it('says which other secrets are missing that the definition, the script or a module of it names', async (t) => {
    const { data, folder, run } = await makePlace(t, {
      'a.yaml': yamlOf('A', 'a', 'signature: {style: github, secret: New, previousSecret: old}\n'),
      'a.jyro':
        'import "erp"\nvar request = {url: "https://a.example", SecretHeaders: {"x-key": "{first}:{second}", x: Data.y}}\nData._payload = HttpRequest(request).status\n',
      'erp.module.jyro':
        'func ask(r)\n  r.secretHeaders = {Authorization: "Bearer {erp-token}"}\n  return HttpRequest(r)\nend\n',
    })
    for (const name of ['new', 'SECOND']) {
      assert.equal((await runCommand(['secret', 'set', name, '--data', data], {}, 'value')).code, 0)
    }
    const { code, stderr } = await run('push', folder)
    assert.equal(code, 0)
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      "tripfolio: 'A' checks signatures with the secret 'old', which is not stored yet: `tripfolio secret set 'old' < FILE`",
      "tripfolio: 'A' sends with its requests the secret 'first', which is not stored yet: `tripfolio secret set 'first' < FILE`",
      "tripfolio: 'A' sends with its requests the secret 'erp-token', which is not stored yet: `tripfolio secret set 'erp-token' < FILE`",
    ])
  })

  it('warns of members of Data that nothing reads, and pushes', async (t) => {
    const { folder, run } = await makePlace(t, { 'a.yaml': yamlOf('A', 'a'), 'a.jyro': 'Data.payload = 1\n' })
    const { code, stderr } = await run('push', folder)
    assert.equal(code, 0)
    assert.match(stderr, /a\.jyro:1:6: JM0003 .*'Data\._payload'/)
  })

  it('publishes nothing when the secret of one endpoint is missing, and says where and what to do', async (t) => {
    const signature = 'signature:\n  style: github\n  secret: provider\n'
    const { data, folder, run, withStore } = await makePlace(t, {
      'a.yaml': yamlOf('A', 'a', signature),
      'a.jyro': script,
      'b.yaml': yamlOf('B', 'b'),
      'b.jyro': script,
    })
    for (const flags of [['--dry-run'], []]) {
      const { code, stderr } = await run('push', folder, '--publish', ...flags)
      assert.equal(code, 1)
      assert.match(stderr, /a\.yaml:\d+:\d+: AUT107 .*'provider'.*, found it unknown/)
    }
    await withStore(async ({ endpoints }) => assert.deepEqual(await endpoints.list(), []))
    assert.equal((await runCommand(['secret', 'set', 'Provider', '--data', data], {}, 'value')).code, 0)
    assert.equal((await run('push', folder, '--publish')).code, 0)
  })

  it('refuses a folder that is no data folder, and makes nothing in it', async (t) => {
    const { data, folder, run, start } = await makePlace(t, { 'a.yaml': yamlOf('A', 'a'), 'a.jyro': script })
    await rm(join(data, 'tripfolio.json'))
    for (const push of [run, start]) {
      const { code, stderr } = await push('push', folder, '--publish')
      assert.equal(code, 5)
      assert.match(
        stderr,
        /Expected a data folder of Tripfolio, found '.*data', which has none of control\.db/,
      )
      assert.deepEqual(await readdir(data), [])
    }
    await rm(data, { recursive: true })
    assert.equal((await run('push', folder)).code, 5)
    assert.equal(existsSync(data), false)
  })

  const refusals: readonly (readonly [
    what: string,
    args: readonly string[],
    exitCode: number,
    message: RegExp,
  ])[] = [
    ['a note without a publication', ['--note', 'x'], 2, /Expected --publish together with --note/],
    ['a note that is too long', ['--publish', '--note', 'x'.repeat(501)], 2, /at most 500 characters/],
    ['a folder without endpoints', ['.git-is-not-there'], 5, /Cannot read the endpoint \.git-is-not-there/],
  ]
  for (const [what, args, exitCode, message] of refusals) {
    it(`refuses ${what}`, async (t) => {
      const { folder, data, run } = await makePlace(t, { 'a.yaml': yamlOf('A', 'a'), 'a.jyro': script })
      const { code, stderr } = await run('push', folder, ...args)
      assert.equal(code, exitCode)
      assert.match(stderr, message)
      assert.equal(existsSync(join(data, 'control.db')), false)
    })
  }
})

describe('tripfolio endpoint pull', () => {
  it('writes what push reads, and nothing where the files say it already', async (t) => {
    const { folder, run, read, write } = await makePlace(t, {
      'a.yaml': `# kept\n${yamlOf('Spend à la carte', 'a', 'script: other.jyro # here\n')}`,
      'other.jyro': script,
      'b.yaml': yamlOf('B', 'b'),
      'b.jyro': script,
    })
    assert.equal((await run('push', folder)).code, 0)
    const before = (await stat(join(folder, 'a.yaml'))).mtimeMs
    const again = await run('pull', folder, '--json')
    assert.equal(again.code, 0, again.stderr)
    assert.deepEqual(
      (JSON.parse(again.stdout) as { outcome: string; written: string[] }[]).map(({ outcome, written }) => [
        outcome,
        written,
      ]),
      [
        ['unchanged', []],
        ['unchanged', []],
      ],
    )
    assert.equal((await stat(join(folder, 'a.yaml'))).mtimeMs, before)
    // Elsewhere, files get names of their own.
    const fresh = join(folder, 'fresh')
    assert.equal((await run('pull', fresh)).code, 0)
    assert.deepEqual(await filesOf(fresh), [
      'b.jyro',
      'b.yaml',
      'spend-a-la-carte.jyro',
      'spend-a-la-carte.yaml',
    ])
    assert.equal(
      await readFile(join(fresh, 'spend-a-la-carte.yaml'), 'utf8'),
      yamlOf('Spend à la carte', 'a'),
    )
    // What is changed is changed alone, and comments stay.
    await write({ 'b.jyro': 'Data.x = 1\n', 'unknown.yaml': 'services: {}\n' })
    await writeFile(
      join(fresh, 'spend-a-la-carte.yaml'),
      yamlOf('spend À la carte', 'a/new', 'limits: {depth: 5}\n'),
    )
    assert.equal((await run('push', join(fresh, 'spend-a-la-carte.yaml'))).code, 0)
    const looked = await run('pull', folder, '--dry-run')
    assert.equal(looked.code, 0, looked.stderr)
    assert.match(looked.stdout, /^B +changed, with edits of yours +.*b\.jyro$[\s\S]*nothing was written/m)
    const refused = await run('pull', folder, '--json')
    assert.equal(refused.code, 1)
    const { code: reason, message } = JSON.parse(refused.stderr).error
    assert.equal(reason, 'END208')
    assert.match(message, /edits in .*b\.yaml and .*b\.jyro; nothing was written\n[\s\S]*-Data\.x = 1\n\+/)
    assert.ok(!message.includes('a.yaml'), 'what was pushed has no edits')
    assert.equal(await read('b.jyro'), 'Data.x = 1\n')
    const { code, stderr } = await run('pull', folder, '--force')
    assert.equal(code, 0, stderr)
    assert.equal(
      await read('a.yaml'),
      '# kept\nname: spend À la carte\ncategory: Utility\nmethod: GET\npath: a/new\nlimits:\n  depth: 5\nscript: other.jyro # here\n',
    )
    assert.deepEqual([await read('b.jyro'), await read('unknown.yaml')], [script, 'services: {}\n'])
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('.')),
      ['.tripfolio-pulled.json'],
    )
  })

  it('overwrites without asking what was pushed last, or is a published version', async (t) => {
    const { folder, run, read, write, withStore } = await makePlace(t, {
      'a.yaml': yamlOf('A', 'a'),
      'a.jyro': script,
    })
    const saveElsewhere = (text: string) =>
      withStore(async ({ endpoints }) => {
        const { id, draft } = await endpoints.find('A')
        await endpoints.saveDraft(id, { ...draft, script: text }, 'test')
      })
    // Without a record: the files are version 1.
    assert.equal((await run('push', folder, '--publish')).code, 0)
    await saveElsewhere('Data.x = 2\n')
    assert.equal((await run('pull', folder)).code, 0)
    assert.equal(await read('a.jyro'), 'Data.x = 2\n')
    // With one: the draft that was pushed is in no version.
    await write({ 'a.jyro': 'Data.x = 3\n' })
    assert.equal((await run('push', folder)).code, 0)
    await saveElsewhere('Data.x = 4\n')
    assert.equal((await run('pull', folder)).code, 0)
    assert.equal(await read('a.jyro'), 'Data.x = 4\n')
  })

  it('writes the endpoints that are named, or what is published of them', async (t) => {
    const { folder, run, write } = await makePlace(t, { 'a.yaml': yamlOf('A', 'a'), 'a.jyro': script })
    assert.equal((await run('push', folder, '--publish')).code, 0)
    await write({ 'a.yaml': yamlOf('A', 'later'), 'b.yaml': yamlOf('B', 'b'), 'b.jyro': script })
    assert.equal((await run('push', folder)).code, 0)
    const published = join(folder, 'published')
    assert.equal((await run('pull', published, '--published')).code, 0)
    assert.deepEqual(await filesOf(published), ['a.jyro', 'a.yaml'])
    assert.equal(await readFile(join(published, 'a.yaml'), 'utf8'), yamlOf('A', 'a'))
    const named = join(folder, 'named')
    assert.equal((await run('pull', named, 'b')).code, 0)
    assert.deepEqual(await filesOf(named), ['b.jyro', 'b.yaml'])
    const refused = await run('pull', named, 'B', '--published')
    assert.deepEqual([refused.code, refused.stdout], [2, ''])
    assert.match(refused.stderr, /published version of 'B', found only a draft/)
    assert.match((await run('pull', named, 'Bb')).stderr, /Did you mean 'B'\?/)
  })

  const holders: readonly (readonly [
    what: string,
    files: Readonly<Record<string, string>>,
    message: RegExp,
  ])[] = [
    [
      'another endpoint',
      { 'a.yaml': yamlOf('Z', 'z'), 'a.jyro': script },
      /a\.yaml.*free for 'A', found 'Z'/,
    ],
    ['something else', { 'a.yaml': 'services: {}\n' }, /a\.yaml.*found something else/],
    ['what cannot be read', { 'a.yaml': 'name: "\n' }, /a\.yaml.*found something else/],
    [
      'the endpoint with a fault',
      { 'x.yaml': yamlOf('A', 'a', 'poll: 1\n') },
      /x\.yaml:5:1: END142 .*'poll'/,
    ],
    ['another script', { 'a.jyro': 'Data.x = 1\n' }, /a\.jyro.*found another script/],
    [
      'the script of two',
      { 'x.yaml': yamlOf('A', 'a', 'script: z.jyro'), 'z.yaml': yamlOf('Z', 'z'), 'z.jyro': '# old\n' },
      /z\.jyro to belong to 'A' alone, found it in .*z\.yaml/,
    ],
    ['the endpoint twice', { 'x.yaml': yamlOf('A', 'a'), 'y.yaml': yamlOf('a', 'a') }, /one file for 'A'/],
  ]
  it('overwrites nothing that holds something else', async (t) => {
    const { folder, run } = await makePlace(t, { 'a.yaml': yamlOf('A', 'a'), 'a.jyro': script })
    assert.equal((await run('push', folder)).code, 0)
    for (const [what, files, message] of holders) {
      const target = join(folder, what)
      await mkdir(target)
      for (const [name, text] of Object.entries(files)) await writeFile(join(target, name), text)
      const { code, stderr } = await run('pull', target)
      assert.equal(code, 1, what)
      assert.match(stderr, message)
      assert.deepEqual((await readdir(target)).sort(), Object.keys(files).sort(), what)
      for (const [name, text] of Object.entries(files)) {
        assert.equal(await readFile(join(target, name), 'utf8'), text, what)
      }
    }
  })
})

describe('tripfolio endpoint list', () => {
  it('shows what there is, by category, text and state', async (t) => {
    const { folder, run, withStore } = await makePlace(t, {
      'a.yaml': yamlOf('A', 'a', 'allowedRoles: [erp, desk]\n'),
      'a.jyro': script,
      'b.yaml': yamlOf('B', 'b', 'requiresAuthentication: false\n').replace('Utility', 'Webhook'),
      'b.jyro': script,
    })
    const missing = await run('list')
    assert.equal(missing.code, 5)
    assert.match(missing.stderr, /^tripfolio: /)
    assert.equal((await run('push', join(folder, 'a.yaml'), '--publish')).code, 0)
    assert.equal((await run('push', join(folder, 'b.yaml'))).code, 0)
    const { stdout } = await run('list')
    assert.match(stdout, /^A +Utility +GET +a +erp, desk +active +1 /m)
    assert.match(stdout, /^B +Webhook +GET +b +anybody +draft +- /m)
    const names = async (...args: readonly string[]) => {
      const listed = JSON.parse((await run('list', '--json', ...args)).stdout) as {
        draft: { name: string }
      }[]
      return listed.map(({ draft }) => draft.name)
    }
    assert.deepEqual(await names('--category', 'Webhook'), ['B'])
    assert.deepEqual(await names('--state', 'active'), ['A'])
    assert.deepEqual(await names('--text', 'a'), ['A'])
    await withStore(async ({ endpoints }) => {
      const { id } = await endpoints.find('A')
      await endpoints.setActive(id, false, 'test')
    })
    assert.match((await run('list')).stdout, /^A .* inactive /m)
    assert.match((await run('list', '--state', 'nothing')).stderr, /Allowed choices are active, inactive/)
  })
})

describe('tripfolio endpoint trial', () => {
  const counting = `Log("Information", "asked for " + Data.request.params.id)
CreateOrganization("Held", "back")
Data._statusCode = Data.request.query.status.toNumber() ?? 200
Data._payload = {id: Data.request.params.id, organizations: GetAllOrganizations().length, caller: Data.request.user.principalId, twice: Data.request.query.twice}
`
  const files = (request: object, expected?: object) => ({
    'c.yaml': yamlOf('Count', 'count/{id}'),
    'c.jyro': counting,
    'request.json': JSON.stringify(request),
    ...(expected && { 'expect.json': JSON.stringify(expected) }),
  })
  const test = async (
    t: TestContext,
    given: Readonly<Record<string, string>>,
    ...more: readonly string[]
  ) => {
    const { folder, run, data } = await makePlace(t, given)
    const expecting = 'expect.json' in given ? ['--expect', join(folder, 'expect.json')] : []
    const request = ['--request', join(folder, 'request.json')]
    const result = await run('trial', join(folder, 'c.yaml'), ...request, ...expecting, ...more)
    assert.equal(existsSync(join(data, 'control.db')), false, 'it leaves nothing behind')
    return result
  }

  it('prints response, log, what was held back and counters, without a store or a snapshot', async (t) => {
    const request = {
      params: { id: 'x' },
      query: { twice: ['a', 'b'] },
      user: { name: 'Ada', email: 'ada@example.com' },
    }
    const { code, stdout, stderr } = await test(t, files(request))
    assert.deepEqual([code, stderr], [0, ''])
    const body = { id: 'x', organizations: 1, caller: 'user:ada@example.com', twice: ['a', 'b'] }
    const [head, rest] = stdout.split(`${JSON.stringify(body)}\n`)
    assert.equal(head, '200 OK\ncontent-type: application/json; charset=utf-8\n\n')
    assert.match(
      rest ?? '',
      /^\nLog:\n {2}Information {2}asked for x\n\nHeld back:\n {2}organization\.create {2}\{.*"Held".*\}\n\n\d+ statements, \d+ rounds, [\d.]+ ms\n$/,
    )
  })

  it('is the operator who calls unless the sample says otherwise, and prints everything as JSON', async (t) => {
    const { code, stdout } = await test(t, files({ params: { id: 'x' } }), '--json')
    assert.equal(code, 0)
    const { response, execution, heldWrites, difference } = JSON.parse(stdout)
    assert.match(JSON.parse(response.body).caller, /^operator:/)
    assert.deepEqual([execution.type, heldWrites.length, difference], ['Test', 1, null])
  })

  it('ends with 1 when the run fails, and shows where', async (t) => {
    const failing = {
      ...files({ params: { id: 'x' } }),
      'c.jyro': 'Data.a = 1\nData._payload = Data.a / 0\n',
    }
    const { code, stdout, stderr } = await test(t, failing)
    assert.equal(code, 1)
    assert.match(stdout, /^500 Internal Server Error\n/)
    assert.match(stderr, /c\.jyro:2:17: JM5200 .*zero\nData\._payload = Data\.a \/ 0\n {16}\^\n/)
  })

  it('ends with 1 when the script answers 500 itself, and with 0 when that is expected', async (t) => {
    const request = { params: { id: 'x' }, query: { status: '503' } }
    assert.equal((await test(t, files(request))).code, 1)
    assert.equal((await test(t, files(request, { status: 503 }))).code, 0)
  })

  it('is content when everything comes as expected', async (t) => {
    const expected = {
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: { organizations: 1, twice: null, caller: 'user:a', id: 'x' },
      log: ['asked for'],
      heldWrites: ['organization.create'],
    }
    const { code, stderr } = await test(
      t,
      files({ params: { id: 'x' }, user: { principalId: 'user:a' } }, expected),
    )
    assert.deepEqual([code, stderr], [0, ''])
  })

  const unmet: readonly (readonly [what: string, expected: object, difference: RegExp])[] = [
    ['the status', { status: 201 }, /^- {2}"status": 201$\n^\+ {2}"status": 200$/m],
    ['a header', { headers: { ETag: 'x' } }, /^- {4}"etag": "x"$/m],
    ['the body', { body: { id: 'x' } }, /^\+ {4}"organizations": 1,?$/m],
    ['the log', { log: ['asked for y'] }, /^- {4}"asked for y"$\n^\+ {4}"asked for x"$/m],
    ['what was held back', { heldWrites: [] }, /^\+ {4}"organization\.create"$/m],
  ]
  for (const [what, expected, difference] of unmet) {
    it(`ends with 1 and a difference when ${what} comes otherwise`, async (t) => {
      const { code, stderr } = await test(t, files({ params: { id: 'x' } }, expected))
      assert.equal(code, 1)
      assert.match(stderr, difference)
    })
  }

  const unusable: readonly (readonly [
    what: string,
    files: Readonly<Record<string, string>>,
    message: RegExp,
  ])[] = [
    [
      'a request that callers could not send',
      files({ body: 1 }),
      /params\/id is missing.*|body must be left out/,
    ],
    [
      'a request with a slip',
      files({ param: { id: 'x' } }),
      /Cannot use .*request\.json as sample request: .*param/,
    ],
    [
      'a request that is not JSON',
      { ...files({}), 'request.json': '{' },
      /Cannot use .*request\.json as JSON/,
    ],
    [
      'an expectation with a slip',
      files({ params: { id: 'x' } }, { state: 200 }),
      /Cannot use .*expect\.json as expectation/,
    ],
    ['an endpoint with faults', { ...files({}), 'c.jyro': 'Data.x = y\n' }, /c\.jyro:1:10: JM3100/],
  ]
  for (const [what, given, message] of unusable) {
    it(`refuses ${what}`, async (t) => {
      const { code, stderr, stdout } = await test(t, given)
      assert.deepEqual([code, stdout], [what.startsWith('an endpoint') ? 1 : 2, ''])
      assert.match(stderr, message)
    })
  }

  it('reads what the data folder has, and changes nothing in it', async (t) => {
    const { folder, run, withStore } = await makePlace(t, files({ params: { id: 'x' } }))
    const draft = {
      number: null,
      name: 'There',
      description: null,
      isActive: true,
      parentOrganizationId: null,
    }
    await withStore(({ organizations }) => organizations.create(draft, 'test'))
    // By the name that it had first.
    const { stdout } = await run('test', join(folder, 'c.yaml'), '--request', join(folder, 'request.json'))
    assert.match(stdout, /"organizations":2/)
    assert.equal((await withStore(({ organizations }) => organizations.list())).length, 1)
  })
})

describe('tripfolio script check --endpoint', () => {
  it('knows the functions that scripts of endpoints have', async (t) => {
    const { folder } = await makePlace(t, { 'a.jyro': script })
    const path = join(folder, 'a.jyro')
    assert.match((await runCommand(['script', 'check', path])).stderr, /JM4100 .*GetAllOrganizations/)
    assert.deepEqual(await runCommand(['script', 'check', path, '--endpoint']), {
      code: 0,
      stdout: '',
      stderr: '',
    })
    const both = await runCommand(['script', 'check', path, '--endpoint', '--dialect', 'strict'])
    assert.match(both.stderr, /'--endpoint' cannot be used with option '--dialect/)
  })
})
