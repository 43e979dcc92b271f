import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type InstructionName, instructionNames, instructionNumbers } from './instructions.ts'

/** The label of an instruction in the machine's switch, with its name in the comment behind or below it. */
const LABEL = /case \d+:( (?:\{\s*)?)\/\/ ([A-Z_]+)$/gm

const machinePath = join(import.meta.dirname, '../run/machine.ts')

describe('the switch of the machine', () => {
  it('has one label for each instruction, in their order', async () => {
    const machine = await readFile(machinePath, 'utf8')
    assert.deepEqual(
      [...machine.matchAll(LABEL)].map(([, , name]) => name),
      instructionNames,
    )
    assert.equal(machine.match(/^ *case /gm)?.length, instructionNames.length)
  })

  it('has the numbers of the instructions (--test-update-snapshots writes them)', async (t) => {
    const machine = await readFile(machinePath, 'utf8')
    const numbered = machine.replaceAll(
      LABEL,
      (_, between: string, name: InstructionName) => `case ${instructionNumbers[name]}:${between}// ${name}`,
    )
    t.assert.fileSnapshot(numbered, machinePath, { serializers: [(text) => text] })
  })
})
