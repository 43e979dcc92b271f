import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { instructionNames, instructions } from './instructions.ts'

describe('instructions', () => {
  it('are numbered without gaps, in their order', () => {
    assert.deepEqual(
      Object.values(instructions).map(({ code }) => code),
      instructionNames.map((_, place) => place),
    )
  })

  it('stand in the machine under their numbers', async () => {
    const machine = await readFile(new URL('../run/machine.ts', import.meta.url), 'utf8')
    const cases = [...machine.matchAll(/case (\d+): (?:\{\s*)?\/\/ ([A-Z_]+)/g)]
    assert.deepEqual(
      cases.map(([, code, name]) => [name, Number(code)]),
      Object.entries(instructions).map(([name, { code }]) => [name, code]),
    )
  })
})
