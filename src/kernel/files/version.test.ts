import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { commitIn } from './version.ts'

const commit = '14082dd6f1a2b3c4d5e6f708192a3b4c5d6e7f80'

describe('the commit of a checkout', () => {
  it('is that of its branch, wherever git keeps it', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tripfolio-version-'))
    t.after(() => rm(folder, { recursive: true }))
    const git = pathToFileURL(`${folder}/`)
    assert.equal(commitIn(git), null)
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
    assert.equal(commitIn(git), null)
    await writeFile(
      join(folder, 'packed-refs'),
      `# pack-refs\n${'0'.repeat(40)} refs/heads/a-main\n${commit} refs/heads/main\n`,
    )
    assert.equal(commitIn(git), commit)
    await mkdir(join(folder, 'refs', 'heads'), { recursive: true })
    const newer = commit.replace('1', '2')
    await writeFile(join(folder, 'refs', 'heads', 'main'), `${newer}\n`)
    assert.equal(commitIn(git), newer)
    await writeFile(join(folder, 'HEAD'), `${commit}\n`)
    assert.equal(commitIn(git), commit)
  })
})
