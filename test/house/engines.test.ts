/** `npm ci` prints no warning about versions of Node.js on any version that the project says it can be installed with. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { minVersion, satisfies, subset } from 'semver'

type Package = { readonly version: string; readonly engines?: { readonly node?: string } }

const root = join(import.meta.dirname, '../..')
const lockfile: { readonly packages: Readonly<Record<string, Package>> } = JSON.parse(
  await readFile(join(root, 'package-lock.json'), 'utf8'),
)
const { '': own, ...packages } = lockfile.packages
const installedWith = own?.engines?.node ?? ''

describe('the versions of Node.js that the project can be installed with', () => {
  it('are some of 20, of 22, and all from 24 on', () => {
    assert.deepEqual(
      installedWith.split(' || ').map((range) => minVersion(range)?.major),
      [20, 22, 24],
    )
    for (const version of ['20.20.2', '22.13.0', '24.0.0', '25.0.0'])
      assert.ok(satisfies(version, installedWith))
  })

  it('are accepted by every package of the lockfile, so that npm warns of none', () => {
    const refusing = Object.entries(packages).filter(
      ([, { engines }]) => engines?.node !== undefined && !subset(installedWith, engines.node),
    )
    assert.deepEqual(
      refusing.map(([path, { version, engines }]) => `${path} ${version} wants Node.js ${engines?.node}`),
      [],
    )
  })
})
