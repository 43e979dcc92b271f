import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { BY, makeStoreFile, openEndpointStore } from '../../directory/testing/endpoint-store.ts'
import { spend } from '../testing/definitions.ts'
import { readEndpointFile, readEndpointFiles } from './endpoint-file.ts'
import { pullEndpoints } from './pull.ts'
import { readExpectation, readSample } from './sample.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-endpoint-files-'))
})
after(() => rmSync(folder, { recursive: true }))

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Pulls one endpoint from a store into the folder. */
async function pull(t: TestContext, into: string) {
  const { path, remove } = makeStoreFile()
  t.after(remove)
  const { close, ...store } = await openEndpointStore(path)
  t.after(close)
  await store.endpoints.create(spend, BY)
  return pullEndpoints(into, store, { names: [], published: false, dryRun: false, force: false })
}

describe('files of endpoints', () => {
  it('are refused with END143 when they cannot be read', () =>
    assert.rejects(readEndpointFile(join(folder, 'missing.yaml')), { code: 'END143' }))

  it('are refused once, with END141, when a script is named instead of the YAML file', async () => {
    const path = file('spend.jyro', 'var a = 1\nif a == 1 then\n  Data.b = {"c": 1}\nend\n')
    const { faults, files } = await readEndpointFiles([path])
    assert.deepEqual(files, [])
    assert.deepEqual(
      faults.map(({ code, at }) => [code, at]),
      [['END141', null]],
    )
    assert.match(faults[0]?.message ?? '', /found a script; name spend\.yaml, or/)
  })

  it('are refused with END145 when the folder has no such files', () => {
    file('notes.txt', 'No endpoint')
    return assert.rejects(readEndpointFiles([folder]), { code: 'END145' })
  })

  it('are refused with END144 when their folder cannot be made', (t) =>
    assert.rejects(pull(t, '/sys/none'), { code: 'END144' }))

  it('are refused with END144 when their folder is a link to nowhere', async (t) => {
    const link = join(folder, 'link')
    symlinkSync(join(folder, 'nowhere'), link)
    await assert.rejects(pull(t, link), { code: 'END144' })
  })

  it('are refused with END150 instead of overwritten when they hold something else', async (t) => {
    const path = file('spend.yaml', 'services: {}\n')
    const { faults, pulled } = await pull(t, folder)
    assert.deepEqual(
      faults.map((fault) => [fault.code, fault.file]),
      [['END150', path]],
    )
    assert.deepEqual(pulled, [])
    assert.deepEqual(readFileSync(path, 'utf8'), 'services: {}\n')
  })
})

describe('the schedules of a file', () => {
  it('are refused with END170 at the field of the cron text, quoted or not', async () => {
    file('timed.jyro', 'Data._payload = 1\n')
    const yaml = `name: Timed
category: Utility
schedules:
  - {name: a, cron: 0 25 * * *, missedRuns: once}
  - {name: a, cron: "0 6 * * 9", missedRuns: once, timeZone: Mars}
`
    const read = await readEndpointFile(file('timed.yaml', yaml))
    assert.ok('faults' in read)
    const places = read.faults.map(({ code, at }) => [code, yaml.slice(at ?? 0).split(/[\s,}"]/)[0]])
    assert.deepEqual(places, [
      ['END170', '25'],
      ['END170', 'a'],
      ['END170', '9'],
      ['END170', 'Mars'],
    ])
  })

  it('do not excuse half a route, which is refused with DIR470', async () => {
    file('half.jyro', 'Data._payload = 1\n')
    const read = await readEndpointFile(file('half.yaml', 'name: Half\ncategory: Utility\npath: a\n'))
    assert.ok('faults' in read)
    assert.deepEqual(
      read.faults.map(({ code }) => code),
      ['DIR470'],
    )
  })

  it('are needed where there is no route', async () => {
    file('idle.jyro', 'Data._payload = 1\n')
    const read = await readEndpointFile(file('idle.yaml', 'name: Idle\ncategory: Utility\n'))
    assert.ok('faults' in read)
    assert.match(read.faults[0]?.message ?? '', /^Expected a method and a path, or a schedule/)
  })
})

describe('a sample request and an expectation', () => {
  it('are refused with END147 when they are not JSON or have another form', async () => {
    await assert.rejects(readSample(file('half.json', '{')), { code: 'END147' })
    await assert.rejects(readSample(file('list.json', '[]')), { code: 'END147' })
    await assert.rejects(readExpectation(file('slip.json', '{"statuss": 200}')), {
      code: 'END147',
      message: /must not have statuss/,
    })
  })
})
