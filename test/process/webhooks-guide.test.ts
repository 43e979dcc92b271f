/** The guide on webhooks: its Python accepts what the service signs, and its schedule is that of the service. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { nextAttempt } from '../../src/events/retry-schedule.ts'
import { signedHeaders } from '../../src/events/sign-message.ts'

const guide = readFileSync(new URL('../../docs/how-to/webhooks.md', import.meta.url), 'utf8')

/** The indented block that begins with this text. */
const block = (beginning: string): string => {
  const lines = guide.slice(guide.indexOf(`    ${beginning}`)).split('\n')
  const end = lines.findIndex((line) => line !== '' && !line.startsWith('    '))
  return lines
    .slice(0, end)
    .map((line) => line.slice(4))
    .join('\n')
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'pass'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('the guide on webhooks', () => {
  it('has Python that accepts our signatures and refuses others', {
    skip: hasPython() ? false : 'this machine has no python3',
  }, () => {
    const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`
    const old = `whsec_${Buffer.alloc(24, 4).toString('base64')}`
    const body = '{"type":"data.changed"}'
    const headers = signedHeaders({ id: 'msg_1', body, secrets: [secret, old] }, new Date())
    const late = signedHeaders({ id: 'msg_1', body, secrets: [secret] }, new Date(Date.now() - 600_000))
    const calls = [
      [secret, headers, body],
      [old, headers, body],
      [secret, headers, `${body} `],
      [`whsec_${Buffer.alloc(24, 5).toString('base64')}`, headers, body],
      [secret, late, body],
    ]
    const program = `${block('import base64')}
import json, sys
print(json.dumps([is_ours(secret, headers, body.encode()) for secret, headers, body in json.load(sys.stdin)]))`
    const found = execFileSync('python3', ['-c', program], { input: JSON.stringify(calls) })
    assert.deepEqual(JSON.parse(`${found}`), [true, true, false, false, false])
  })

  it('says when messages are sent again', () => {
    const now = new Date(0)
    const delays: number[] = []
    for (let attempts = 1; ; attempts++) {
      const at = nextAttempt(attempts, { now, random: 0 })
      if (at === null) break
      delays.push(at.getTime() / 1000)
    }
    const units: readonly [string, number][] = [
      ['h', 3600],
      ['min', 60],
      ['s', 1],
    ]
    const text = delays.map((seconds) => {
      const [unit, size] = units.find(([, size]) => seconds % size === 0) as [string, number]
      return `${seconds / size} ${unit}`
    })
    const said = `${text.slice(0, -1).join(', ')} and ${text.at(-1)}`
    assert.ok(guide.replace(/\s+/g, ' ').includes(`sent again after ${said}`), said)
  })
})
