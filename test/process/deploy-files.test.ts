/** The files of `deploy/` agree with the service: settings, ports, paths, copied files, times to stop. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { type Config, loadConfig } from '../../src/config/load-config.ts'
import { settingNames, variableOf } from '../../src/config/settings.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { makeFolders } from './ingest-fixture.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'deploy')
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
  // What .gitignore keeps out: the values of an operator.
  .filter((file) => file !== 'compose/.env' && file !== 'kubernetes/secret.env')
const textOf = (file: string): Promise<string> => readFile(join(folder, file), 'utf8')

/** A part of a YAML document; undefined where there is none. */
const at = (tree: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], tree)

function listAt(tree: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const list = at(tree, ...path)
  return Array.isArray(list) ? list : []
}

async function yamlOf(file: string): Promise<readonly unknown[]> {
  const documents = parseAllDocuments(await textOf(file), { strict: true, merge: true })
  return [...documents].map((document) => {
    assert.deepEqual([document.errors, document.warnings], [[], []], file)
    return document.toJS()
  })
}

/** The lines `NAME=value`. */
async function environmentOf(file: string): Promise<Readonly<Record<string, string>>> {
  const lines = (await textOf(file)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)=(\S.*)$/.exec(line) ?? []
      assert.notEqual(name, '', `${file}: ${line}`)
      return [name, value]
    }),
  )
}

/** With what `docker compose` puts in from `.env`. */
async function composed(): Promise<unknown> {
  const values = await environmentOf('compose/.env.example')
  const [file] = await yamlOf('compose/compose.yaml')
  const text = JSON.stringify(file).replace(/\$\{(\w+):\?\}/g, (_, name: string) => {
    assert.ok(values[name], name)
    return values[name] ?? ''
  })
  assert.doesNotMatch(text, /\$/)
  return JSON.parse(text)
}

const configOf = (env: Readonly<Record<string, string>>): Config => loadConfig({ env, flags: {} })
const kubernetesConfig = async (): Promise<Config> =>
  configOf({
    ...(await environmentOf('kubernetes/settings.env')),
    ...(await environmentOf('kubernetes/secret.env.example')),
  })

type Instruction = { readonly word: string; readonly rest: string }

/** The instructions of the Dockerfile, each in one line. */
async function instructions(): Promise<readonly Instruction[]> {
  const lines = (await textOf('Dockerfile'))
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, word = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
      assert.match(
        word,
        /^(?:FROM|WORKDIR|COPY|RUN|USER|VOLUME|ENV|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/,
        line,
      )
      return { word, rest }
    })
}

const ofWord = (all: readonly Instruction[], word: string): readonly string[] =>
  all.filter((each) => each.word === word).map(({ rest }) => rest)

/** What is copied from the project, and where to. */
const copies = (
  all: readonly Instruction[],
): readonly (readonly [sources: readonly string[], target: string])[] =>
  ofWord(all, 'COPY')
    .filter((rest) => !rest.startsWith('--from='))
    .map((rest) => rest.split(' '))
    .map((names) => [names.slice(0, -1), names.at(-1) ?? ''])

describe('the files of deploy/', () => {
  it('are those that the tests below know', () => {
    assert.deepEqual(files.sort(), [
      'Dockerfile',
      'Dockerfile.dockerignore',
      'README.md',
      'compose/.env.example',
      'compose/compose.yaml',
      'compose/haproxy.cfg',
      'kubernetes/ingest.yaml',
      'kubernetes/kustomization.yaml',
      'kubernetes/nodes.yaml',
      'kubernetes/secret.env.example',
      'kubernetes/settings.env',
      'systemd/tripfolio.env',
      'systemd/tripfolio.service',
    ])
  })

  it('name only settings that exist', async () => {
    const known = new Set(settingNames.map(variableOf))
    for (const file of files) {
      const named = Array.from((await textOf(file)).matchAll(/TRIPFOLIO_[A-Z_]+/g), ([name]) => name)
      assert.deepEqual(
        named.filter((name) => !known.has(name)),
        [],
        file,
      )
    }
  })

  it('say in their headers that they were not run', async () => {
    for (const file of files.filter((name) => /Dockerfile$|\.yaml$|\.cfg$/.test(name))) {
      const [header = ''] = (await textOf(file)).split(/^[^#]/m)
      assert.match(header, /^#[\s\S]*\bNot run here: /, file)
    }
  })
})

describe('the image', () => {
  it('is built from files that exist and that the build may see', async () => {
    const ignored = (await textOf('Dockerfile.dockerignore')).split('\n')
    for (const [sources] of copies(await instructions())) {
      for (const source of sources) {
        assert.ok(existsSync(join(root, source)), source)
        assert.ok(ignored.includes(`!${source}`), source)
      }
    }
  })

  it('starts from these files alone, writes none of them, is healthy, and ignores what Kubernetes puts into its environment', async (t) => {
    const all = await instructions()
    const home = await imageFolder(t, all)
    const { data } = await makeFolders(t)
    await publishExtract({ data }, fixtureExtract)
    const before = await filesOfImage(home)
    const [settings = ''] = ofWord(all, 'ENV')
    const ofImage = Object.fromEntries(settings.split(' ').map((pair) => pair.split('=')))
    assert.equal(ofImage.TRIPFOLIO_DATA, ofWord(all, 'VOLUME')[0])
    assert.match(ofImage.NODE_COMPILE_CACHE, /^\/tmp\//)
    const { PATH = '' } = process.env
    const env = {
      PATH,
      NODE_COMPILE_CACHE: join(dirname(data), 'compiled'),
      TRIPFOLIO_DATA: data,
      TRIPFOLIO_THREADS: '1',
      TRIPFOLIO_SCRIPT_THREADS: '1',
      TRIPFOLIO_PORT: 'tcp://10.0.0.1:8080',
      TRIPFOLIO_SERVICE_HOST: '10.0.0.1',
      TRIPFOLIO_OPERATORS_PORT_9090_TCP_ADDR: '10.0.0.1',
    }
    const [entry = ''] = JSON.parse(ofWord(all, 'ENTRYPOINT')[0] ?? '[]') as string[]
    const args = JSON.parse(ofWord(all, 'CMD')[0] ?? '[]') as string[]
    const child = spawn(join(home, 'bin', basename(entry)), [...args, '--port', '0'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    try {
      const address = await startedAt(child.stdout)
      const check = JSON.parse(
        /CMD (\[.*\])$/.exec(ofWord(all, 'HEALTHCHECK')[0] ?? '')?.[1] ?? '[]',
      ) as string[]
      assert.equal(check[0], 'node')
      const health = (port: string) =>
        promisify(execFile)(
          process.execPath,
          check.slice(1).map((arg) => arg.replace(':8080/', `:${port}/`)),
        )
      await health(new URL(address).port)
      // Nothing listens there.
      await assert.rejects(health('1'), { code: 1 })
    } finally {
      child.kill('SIGTERM')
    }
    assert.deepEqual(await ended, [0, null])
    assert.deepEqual(await filesOfImage(home), before)
  })
})

/** Without the packages, which are those of this project: other tests add compiled code to them at the same time. */
const filesOfImage = async (home: string): Promise<readonly string[]> =>
  (await readdir(home, { recursive: true })).filter((path) => !path.startsWith('node_modules/'))

/** The folder that the image would have, with the packages of this project. */
async function imageFolder(t: TestContext, all: readonly Instruction[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'tripfolio-image-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const isLeftOut = (path: string) => path.endsWith('.test.ts') || basename(path) === 'testing'
  for (const [sources, target] of copies(all)) {
    for (const source of sources) {
      const to = join(home, target.endsWith('/') ? join(target, basename(source)) : target)
      await mkdir(dirname(to), { recursive: true })
      await cp(join(root, source), to, { recursive: true, filter: (path) => !isLeftOut(path) })
    }
  }
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'))
  return home
}

async function startedAt(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const { msg, address } = JSON.parse(line) as { msg: string; address: string }
    if (msg !== 'service started') continue
    // The rest is not read line by line, but has to flow.
    output.resume()
    return address
  }
  throw new Error('The service ended before it started')
}

/** The service's own paths that a probe or a proxy may name. */
const probes = new Set(['/livez', '/readyz'])

describe('the compose file', () => {
  it('has settings that the service accepts, and the same ones on both nodes', async () => {
    const file = await composed()
    const [one, two] = ['node1', 'node2'].map((node) => at(file, 'services', node))
    const environment = at(one, 'environment') as Readonly<Record<string, string>>
    assert.deepEqual(at(two, 'environment'), environment)
    const { store, snapshots, stopSeconds, operatorListen } = configOf(environment)
    assert.ok(store?.includes('@postgres:5432/') && at(file, 'services', 'postgres'))
    assert.deepEqual([snapshots, operatorListen], ['s3://tripfolio/snapshots', '0.0.0.0:9090'])
    for (const node of [one, two])
      assert.ok(Number.parseInt(String(at(node, 'stop_grace_period')), 10) > stopSeconds + 10)
  })

  it('mounts the data folder of the image, and only files that exist', async () => {
    const file = await composed()
    for (const [name, service] of Object.entries(at(file, 'services') as object)) {
      for (const mount of listAt(service, 'volumes').map(String)) {
        const [from = ''] = mount.split(':')
        if (from.startsWith('./')) assert.ok(existsSync(join(folder, 'compose', from)), `${name}: ${mount}`)
        else assert.ok(from.startsWith('/') || from in (at(file, 'volumes') as object), `${name}: ${mount}`)
      }
    }
    const node = at(file, 'services', 'node1')
    assert.ok(listAt(node, 'volumes').includes('node1:/var/lib/tripfolio'))
    assert.equal(join(folder, 'compose', String(at(node, 'build', 'context'))), root)
    assert.ok(existsSync(join(root, String(at(node, 'build', 'dockerfile')))))
  })

  it('has HAProxy send requests to its nodes, at the port and the path of the service', async () => {
    const text = await textOf('compose/haproxy.cfg')
    const services = at(await composed(), 'services')
    const nodes = Array.from(text.matchAll(/^ {4}server (\w+) (\w+):(\d+)$/gm), ([, ...node]) => node)
    const { port } = configOf({})
    assert.deepEqual(
      nodes,
      Object.keys(services as object)
        .filter((name) => name.startsWith('node'))
        .map((name) => [name, name, String(port)]),
    )
    assert.ok(probes.has(/^ {4}option httpchk GET (\S+)$/m.exec(text)?.[1] ?? ''))
    // The credentials in the order of src/http/guards.ts.
    const headers = Array.from(
      text.matchAll(/set-var\(txn\.credential\) req\.hdr\(([\w-]+)\)/g),
      ([, name]) => name,
    )
    assert.deepEqual(headers, ['psk', 'x-api-key', 'authorization'])
    assert.match(text, /^ {4}balance hash var\(txn\.credential\)$/m)
    const bound = /^ {4}bind :(\d+)$/m.exec(text)?.[1]
    assert.deepEqual(at(services, 'haproxy', 'ports'), [`127.0.0.1:8080:${bound}`])
  })
})

describe('the Kubernetes manifests', () => {
  it('have resources that exist, and settings that the service accepts', async () => {
    const [kustomization] = await yamlOf('kubernetes/kustomization.yaml')
    const named = [
      ...listAt(kustomization, 'resources'),
      ...listAt(kustomization, 'configMapGenerator', 0, 'envs'),
    ]
    assert.equal(named.length, 3)
    for (const name of named) assert.ok(existsSync(join(folder, 'kubernetes', String(name))), String(name))
    const config = await kubernetesConfig()
    assert.ok(config.store && config.source && config.secretKey && config.snapshots)
  })

  it('have probes, ports, times and selectors that fit each other and the service', async () => {
    const config = await kubernetesConfig()
    const objects = await yamlOf('kubernetes/nodes.yaml')
    const ofKind = (kind: string) => objects.filter((object) => at(object, 'kind') === kind)
    const [deployment] = ofKind('Deployment')
    const pod = at(deployment, 'spec', 'template', 'spec')
    const container = at(pod, 'containers', 0)
    const ports = new Map(
      listAt(container, 'ports').map((port) => [at(port, 'name'), at(port, 'containerPort')]),
    )
    assert.equal(ports.get('http'), config.port)
    assert.equal(ports.get('operators'), Number(config.operatorListen?.split(':').at(-1)))
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const request = at(container, probe, 'httpGet')
      assert.ok(probes.has(String(at(request, 'path'))) && ports.has(at(request, 'port')), probe)
    }
    const labels = at(deployment, 'spec', 'selector', 'matchLabels')
    assert.deepEqual(at(deployment, 'spec', 'template', 'metadata', 'labels'), labels)
    for (const service of ofKind('Service')) {
      assert.ok(ports.has(at(service, 'spec', 'ports', 0, 'targetPort')))
      assert.deepEqual(at(service, 'spec', 'selector'), labels)
    }
    assert.deepEqual(at(ofKind('PodDisruptionBudget')[0], 'spec', 'selector', 'matchLabels'), labels)
    assert.ok(Number(at(pod, 'terminationGracePeriodSeconds')) > config.stopSeconds + 10)
    assert.ok(gibibytes(at(container, 'resources', 'limits', 'memory')) >= config.memoryBudget + 2 ** 30)
    assert.ok(gibibytes(at(pod, 'volumes', 0, 'emptyDir', 'sizeLimit')) > config.snapshotCacheBytes)
  })

  it('run all pods as the user of the image, with nothing to write but volumes', async () => {
    const user = Number(ofWord(await instructions(), 'USER')[0]?.split(':')[0])
    const [cron] = await yamlOf('kubernetes/ingest.yaml')
    const [deployment] = await yamlOf('kubernetes/nodes.yaml')
    const job = at(cron, 'spec', 'jobTemplate', 'spec')
    for (const owner of [at(deployment, 'spec'), job]) {
      const pod = at(owner, 'template', 'spec')
      assert.equal(at(pod, 'securityContext', 'runAsNonRoot'), true)
      assert.equal(at(pod, 'securityContext', 'runAsUser'), user)
      const container = at(pod, 'containers', 0)
      assert.deepEqual(at(container, 'securityContext'), {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      const mounts = listAt(container, 'volumeMounts').map((mount) => at(mount, 'mountPath'))
      assert.deepEqual(mounts, ['/var/lib/tripfolio', '/tmp'])
      assert.deepEqual(
        listAt(pod, 'volumes').map((volume) => at(volume, 'name')),
        ['data', 'temporary'],
      )
    }
    const { refreshTimeLimitSeconds } = await kubernetesConfig()
    assert.ok(Number(at(job, 'activeDeadlineSeconds')) > refreshTimeLimitSeconds)
    assert.equal(at(cron, 'spec', 'concurrencyPolicy'), 'Forbid')
  })
})

const gibibytes = (size: unknown): number => Number(/^(\d+)Gi$/.exec(String(size))?.[1]) * 2 ** 30

describe('the systemd unit', () => {
  it('is one that systemd accepts, where systemd is at hand', async (t) => {
    const unit = await textOf('systemd/tripfolio.service')
    const started = /^ExecStart=(\S+) serve$/m.exec(unit)?.[1] ?? ''
    const here = join(root, 'bin', basename(started))
    assert.ok(existsSync(here))
    if (!existsSync('/usr/bin/systemd-analyze')) return
    const copy = await mkdtemp(join(tmpdir(), 'tripfolio-unit-'))
    t.after(() => rm(copy, { recursive: true, force: true }))
    const path = join(copy, 'tripfolio.service')
    await writeFile(path, unit.replace(started, here))
    const { stderr } = await promisify(execFile)('/usr/bin/systemd-analyze', ['verify', path])
    assert.deepEqual(
      stderr.split('\n').filter((line) => line.includes('tripfolio.service')),
      [],
    )
  })
})
