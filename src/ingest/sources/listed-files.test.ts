import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { checkListedFiles } from './listed-files.ts'

it('a checksum of the list may be written in capitals, and another one is refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-listed-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const text = 'client_number,name\nA1,One\n'
  await writeFile(join(folder, 'clients.csv'), text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const list = (hash: string) => {
    const files = [{ name: 'clients.csv', bytes: text.length, sha256: hash }]
    return writeFile(join(folder, 'extract.json'), JSON.stringify({ files }))
  }
  for (const hash of [sha256, sha256.toUpperCase()]) {
    await list(hash)
    await checkListedFiles(folder)
  }
  await list(sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')))
  await assert.rejects(checkListedFiles(folder), { code: 'ING116' })
})
