import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { problemKinds } from '../../kernel/problems/kinds.ts'
import { callCli } from '../testing/call-cli.ts'
import { commandsBelow } from '../testing/commands-below.ts'
import { exitCodeOf, exitCodes, type outcomeOfKind } from './exit-codes.ts'
import { exitCodesPage, withoutJson } from './exit-codes-page.ts'

/** Scripts and service managers depend on these: a kind moves to another row only on purpose. */
const pinned = {
  1: 'unauthenticated forbidden not-found method-not-allowed not-acceptable conflict gone too-large uri-too-long precondition-failed precondition-required unprocessable unsupported-media-type expectation-failed headers-too-large loop-detected extract-refused unreadable script',
  2: 'invalid settings usage',
  4: 'timed-out limited unavailable locked interrupted',
  5: 'storage-failure damaged file-access',
  70: 'defect',
}

describe('the exit codes', () => {
  it('differ from each other and leave 126 and more to the shell', () => {
    const codes = Object.values(exitCodes)
    assert.equal(new Set(codes).size, codes.length)
    assert.ok(codes.every((code) => code < 126))
  })

  it('are pinned for every kind of problem', () => {
    const rows = Object.entries(pinned).flatMap(([code, kinds]) =>
      kinds.split(' ').map((kind) => [kind, Number(code)] as const),
    )
    const kinds = Object.keys(problemKinds) as (keyof typeof outcomeOfKind)[]
    assert.deepEqual(
      Object.fromEntries(rows),
      Object.fromEntries(kinds.map((kind) => [kind, exitCodeOf({ kind })])),
    )
  })
})

describe('docs/reference/exit-codes.md', () => {
  it('names the commands that have no --json', async () => {
    const found: string[] = []
    for (const words of await commandsBelow()) {
      if (!(await callCli([...words, '--help'])).stdout.includes('--json')) found.push(words.join(' '))
    }
    assert.deepEqual(found.toSorted(), withoutJson.toSorted())
  })

  it('is what the tables say', (t) => {
    const page = join(import.meta.dirname, '../../../docs/reference/exit-codes.md')
    t.assert.fileSnapshot(exitCodesPage(), page, { serializers: [(text) => text] })
  })
})
