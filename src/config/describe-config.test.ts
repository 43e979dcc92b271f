import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { describeConfig } from './describe-config.ts'
import { loadConfig } from './load-config.ts'
import { byteSize, text } from './setting-types.ts'
import { settingNames, showSetting } from './settings.ts'

describe('describeConfig', () => {
  it('gives every value, its source and the variable that would set it', () => {
    const config = loadConfig({
      env: { TRIPFOLIO_MEMORY_BUDGET: '4096 MiB' },
      flags: { data: '/nowhere', port: 0 },
    })
    const described = describeConfig(config)
    assert.deepEqual(
      described.map(({ name }) => name),
      settingNames,
    )
    const row = (name: string) => described.find((entry) => entry.name === name)
    assert.deepEqual(row('port'), { name: 'port', value: '0', source: 'flag', variable: 'TRIPFOLIO_PORT' })
    assert.equal(row('memoryBudget')?.value, '4GiB')
    assert.equal(row('memoryBudget')?.source, 'environment')
    assert.equal(row('refresh')?.value, '(not set)')
    assert.equal(row('logLevel')?.source, 'default')
  })

  it('masks a secret, but shows when it is not set', () => {
    const secret = { type: text('a password'), default: undefined, help: 'A password.', secret: true }
    assert.equal(showSetting(secret, 'hunter2'), '(hidden)')
    assert.equal(showSetting(secret, undefined), '(not set)')
  })

  it('shows a size so that reading the text gives the same bytes', () => {
    const size = byteSize({ min: 0 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), fc.integer({ min: 0, max: 3 }), (n, unit) => {
        const bytes = n % 1024 ** unit === 0 ? n : n - (n % 1024 ** unit)
        return size.read(size.show(bytes)) === bytes
      }),
    )
  })
})
