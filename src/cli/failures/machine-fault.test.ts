/** What the machine refuses where no command expected it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { callCli } from '../testing/call-cli.ts'

const data = mkdtempSync(join(tmpdir(), 'tripfolio-refused-'))
after(() => rmSync(data, { recursive: true }))

const systemError = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: refused`), { code, syscall: 'open', ...(path && { path }) })

async function serveThatFails(error: unknown, folder = data) {
  const composition = { startService: () => Promise.reject(error) }
  const { code, stderr } = await callCli(['serve', '--data', folder], { composition })

  return { code, stderr }
}

describe('an error of the system that no command expects', () => {
  const refused = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EFBIG', 'EIO']
  for (const code of refused) {
    it(`is no defect: ${code}`, async () => {
      for (const error of [
        systemError(code, join('/srv', 'file')),
        new Error('It failed', { cause: systemError(code, join('/srv', 'file')) }),
        new Problem('ING129', 'It failed', { cause: systemError(code, join('/srv', 'file')) }),
      ]) {
        const ended = await serveThatFails(error)
        assert.equal(ended.code, 5)
        assert.match(
          ended.stderr,
          new RegExp(`^tripfolio: Cannot use '/srv/file': .* \\(${code}\\)\\n {11}\\S`),
        )
        assert.doesNotMatch(ended.stderr, /report it| {4}at /)
      }
    })
  }

  for (const code of ['EMFILE', 'ENFILE']) {
    it(`names the limit of open files: ${code}`, async () => {
      const { code: exitCode, stderr } = await serveThatFails(systemError(code, join(data, 'file')))
      assert.equal(exitCode, 5)
      assert.match(stderr, new RegExp(`No more files can be opened: .* \\(${code}\\)`))
    })
  }

  it('names a folder of the command that is not there', async () => {
    const gone = join(data, 'gone')
    const { code, stderr } = await serveThatFails(systemError('ENOENT', join(gone, 'control.db')), gone)
    assert.equal(code, 5)
    assert.match(stderr, new RegExp(`Cannot use '${gone}': there is no such folder`))
  })

  it('stays a defect when the machine is not its cause', async () => {
    for (const error of [new Error('odd'), systemError('ENOENT', join(data, 'file')), systemError('EBADF')]) {
      const { code, stderr } = await serveThatFails(error)
      assert.equal(code, 70)
      assert.match(stderr, /please report it/)
    }
  })

  const codes = {
    DIR850: systemError('ENOSPC', join(tmpdir(), 'file')),
    DIR851: systemError('ENOSPC', '/srv/file'),
    DIR852: systemError('EMFILE'),
  }
  for (const [code, error] of Object.entries(codes)) {
    it(`has the code ${code}`, async () => {
      const composition = { openTrialRunner: () => Promise.reject(error) }
      const file = join(import.meta.dirname, '../../../examples/endpoints/health-probe.yaml')
      const request = file.replace('.yaml', '.request.json')
      const { stderr } = await callCli(
        ['endpoint', 'trial', file, '--request', request, '--data', data, '--json'],
        {
          composition,
        },
      )
      assert.equal(JSON.parse(stderr).error.code, code)
    })
  }
})
