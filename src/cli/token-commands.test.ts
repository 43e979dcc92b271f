import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openTokenVerifier, type TokenCheck } from '../auth/tokens/verifier.ts'
import { loadConfig } from '../config/load-config.ts'
import { type Called, callCli, startCli } from './testing/call-cli.ts'

const SECRET = 'a secret of thirty-two bytes, more or less'

let root: string
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-cli-'))
})
after(() => rmSync(root, { recursive: true }))

type Variables = Readonly<Record<string, string>>

/** With settings only. */
function dataFolder(): string {
  const folder = mkdtempSync(join(root, 'data-'))
  writeFileSync(join(folder, 'tripfolio.json'), '{}')
  return folder
}

const issue = (args: readonly string[], env: Variables): Promise<Called> =>
  callCli(['token', 'issue', ...args], { env })

const verify = (token: string, env: Variables): TokenCheck | Promise<TokenCheck> =>
  openTokenVerifier(loadConfig({ env }))(`Bearer ${token}`)

describe('tripfolio token issue', () => {
  it('prints one line that a service with the same data folder accepts', async () => {
    const data = dataFolder()
    const roles = ['--role', 'admin', '--role', 'ops']
    const { code, stdout, stderr } = await startCli(['token', 'issue', ...roles, '--data', data])
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const check = await verify(stdout.trim(), { TRIPFOLIO_DATA: data })
    assert.ok(check.kind === 'valid')
    assert.deepEqual(check.user.roles, ['admin', 'ops'])
    assert.match(check.user.principalId, /^user:.+/)
    assert.deepEqual(readdirSync(data), ['token.key', 'tripfolio.json'])
    assert.equal(statSync(join(data, 'token.key')).mode & 0o777, 0o600)
  })

  it('refuses a folder that does not exist, and makes none', async () => {
    const data = join(root, 'typo')
    const { code, stdout, stderr } = await issue(['--data', data], {})
    assert.deepEqual([code, stdout, existsSync(data)], [5, '', false])
    assert.match(stderr, /There is no data folder '.*typo'/)
    const shared = await issue(['--data', data], { TRIPFOLIO_JWT_SECRET: SECRET })
    assert.deepEqual([shared.code, existsSync(data)], [0, false])
  })

  it('refuses a folder that is no data folder, and makes no key in it', async () => {
    const data = mkdtempSync(join(root, 'other-'))
    const { code, stdout, stderr } = await startCli(['token', 'issue', '--data', data])
    assert.deepEqual([code, stdout, readdirSync(data)], [5, '', []])
    assert.match(stderr, /Expected a data folder of Tripfolio, found '.*other-/)
  })

  it('prints JSON with the expiry of the token', async () => {
    const env = { TRIPFOLIO_DATA: dataFolder() }
    const args = ['--name', 'Ann Lee', '--email', 'ann@example.org', '--ttl', '7d', '--json']
    const { token, expiresAt, ...holder } = JSON.parse((await issue(args, env)).stdout)
    assert.deepEqual(holder, { name: 'Ann Lee', email: 'ann@example.org', roles: [] })
    const left = Date.parse(expiresAt) - Date.now()
    assert.ok(left > 6.9 * 86_400_000 && left <= 7 * 86_400_000)
    const check = await verify(token, env)
    assert.equal(check.kind === 'valid' && check.user.principalId, 'user:ann@example.org')
  })

  it('signs with the shared secret if there is one, and makes no key', async () => {
    const data = dataFolder()
    const env = {
      TRIPFOLIO_DATA: data,
      TRIPFOLIO_JWT_SECRET: SECRET,
      TRIPFOLIO_JWT_ISSUER: 'us',
      TRIPFOLIO_JWT_AUDIENCE: 'here',
    }
    const { stdout } = await issue(['--role', 'admin'], env)
    assert.equal((await verify(stdout.trim(), env)).kind, 'valid')
    assert.equal((await verify(stdout.trim(), { ...env, TRIPFOLIO_JWT_AUDIENCE: 'there' })).kind, 'invalid')
    assert.deepEqual(readdirSync(data), ['tripfolio.json'])
  })

  const refused: readonly (readonly [
    what: string,
    args: readonly string[],
    variables: Variables,
    said: RegExp,
  ])[] = [
    [
      'a configuration in which tokens are signed elsewhere',
      [],
      { TRIPFOLIO_JWT_KEYS: './keys.json' },
      /jwtKeys.*\n.*identity provider/,
    ],
    ['a bad time to live', ['--ttl', 'soon'], {}, /found 'soon'\n.*30m, 1h or 7d/],
    ['an empty role', ['--role', ''], {}, /a role of 1 to 100 characters/],
    ['an unknown option', ['--rol', 'admin'], {}, /--role/],
  ]
  for (const [what, args, variables, said] of refused) {
    it(`refuses ${what}, prints nothing and makes no key`, async () => {
      const data = dataFolder()
      const { code, stdout, stderr } = await issue(args, { TRIPFOLIO_DATA: data, ...variables })
      assert.equal(code, 2)
      assert.equal(stdout, '')
      assert.match(stderr, said)
      assert.ok(!existsSync(join(data, 'token.key')))
    })
  }
})
