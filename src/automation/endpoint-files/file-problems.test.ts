import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { readEndpointFile, readEndpointFiles } from './endpoint-file.ts'
import { planPull, writePulled } from './pull.ts'
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

const definition: EndpointDefinition = {
  name: 'Spend',
  description: '',
  category: 'Utility',
  method: 'GET',
  path: 'spend',
  requiresAuthentication: true,
  allowedRoles: [],
  limits: {},
  signature: null,
  deduplication: null,
  script: 'Data._payload = 1\n',
}

describe('files of endpoints', () => {
  it('are refused with END143 when they cannot be read', () =>
    assert.rejects(readEndpointFile(join(folder, 'missing.yaml')), { code: 'END143' }))

  it('are refused with END145 when the folder has no such files', () => {
    file('notes.txt', 'No endpoint')
    return assert.rejects(readEndpointFiles([folder]), { code: 'END145' })
  })

  it('are refused with END144 when they cannot be written', () => {
    const path = join(folder, 'in-the-way')
    mkdirSync(path)
    const pulled = {
      name: 'Spend',
      outcome: 'created',
      files: [path, path],
      writes: new Map([[path, 'x']]),
    } as const
    return assert.rejects(writePulled(pulled), { code: 'END144' })
  })

  it('are refused with END144 below a path that is a file', () => {
    const path = join(file('not-a-folder', ''), 'spend.yaml')
    const pulled = {
      name: 'Spend',
      outcome: 'created',
      files: [path, path],
      writes: new Map([[path, 'x']]),
    } as const
    return assert.rejects(writePulled(pulled), { code: 'END144' })
  })

  it('are refused with END150 instead of overwritten when they hold something else', async () => {
    const path = file('spend.yaml', 'services: {}\n')
    const { faults, pulled } = await planPull(folder, [{ definition, slug: 'spend' }])
    assert.deepEqual(
      faults.map((fault) => [fault.code, fault.file]),
      [['END150', path]],
    )
    assert.deepEqual(pulled, [])
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
