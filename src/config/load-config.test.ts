import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  admissionLimits,
  type ConfigInput,
  failedAuthLimit,
  loadConfig,
  queryLimits,
  rateLimits,
  workBudget,
} from './load-config.ts'
import { SettingsProblem } from './problems.ts'
import { settingNames, settings, variableOf } from './settings.ts'

let data: string
before(() => {
  data = mkdtempSync(join(tmpdir(), 'tripfolio-config-'))
})
after(() => rmSync(data, { recursive: true }))

const load = (input: Partial<ConfigInput> & { json?: unknown }) => {
  const { json, ...rest } = input
  const file = join(data, 'tripfolio.json')
  writeFileSync(file, typeof json === 'string' ? json : JSON.stringify(json ?? {}))
  return loadConfig({ env: {}, ...rest, flags: { data, ...rest.flags } })
}

const faultsOf = (input: Parameters<typeof load>[0]) => {
  try {
    load(input)
  } catch (error) {
    assert.ok(error instanceof SettingsProblem)
    assert.equal(error.code, 'CFG101')
    return error
  }
  assert.fail('the settings were accepted')
}

describe('loadConfig', () => {
  it('returns the defaults, frozen, when no source gives a value', () => {
    const config = loadConfig({ env: {} })
    for (const name of settingNames) {
      assert.deepEqual(config[name], settings[name].default)
      assert.equal(config.sources[name], 'default')
    }
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.sources))
  })

  it('has defaults that each setting would itself accept', () => {
    for (const name of settingNames) {
      const { type, default: fallback } = settings[name]
      if (fallback !== undefined) assert.equal(type.read(type.show(fallback)), fallback, name)
    }
  })

  it('takes the highest layer that gives a value', () => {
    const port = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: undefined })
    fc.assert(
      fc.property(port, port, port, (flag, variable, member) => {
        const config = load({
          flags: { port: flag },
          env: variable === undefined ? {} : { TRIPFOLIO_PORT: String(variable) },
          json: { port: member },
        })
        const expected =
          flag !== undefined
            ? [flag, 'flag']
            : variable !== undefined
              ? [variable, 'environment']
              : member !== undefined
                ? [member, 'file']
                : [8080, 'default']
        assert.deepEqual([config.port, config.sources.port], expected)
      }),
      { numRuns: 40 },
    )
  })

  const accepted: readonly [
    variable: string,
    text: string,
    name: (typeof settingNames)[number],
    value: unknown,
  ][] = [
    ['TRIPFOLIO_PORT', '0', 'port', 0],
    ['TRIPFOLIO_HOST', '::1', 'host', '::1'],
    ['TRIPFOLIO_SOURCE', '/srv/extract of today', 'source', '/srv/extract of today'],
    ['TRIPFOLIO_REFRESH', '0 */6 * * *', 'refresh', '0 */6 * * *'],
    ['TRIPFOLIO_REFRESH', '@daily', 'refresh', '@daily'],
    ['TRIPFOLIO_RETAIN_SNAPSHOTS', ' 5 ', 'retainSnapshots', 5],
    ['TRIPFOLIO_MAX_REJECT_SHARE', '0', 'maxRejectShare', 0],
    ['TRIPFOLIO_MAX_REJECT_SHARE', '.25', 'maxRejectShare', 0.25],
    ['TRIPFOLIO_RATE_LIMIT_V1', '0.5', 'rateLimitV1', 0.5],
    ['TRIPFOLIO_RATE_LIMIT_V1', '33.333', 'rateLimitV1', 33.333],
    ['TRIPFOLIO_RATE_LIMIT_V2', '0', 'rateLimitV2', 0],
    ['TRIPFOLIO_RATE_BURST_V2', '1', 'rateBurstV2', 1],
    ['TRIPFOLIO_LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['TRIPFOLIO_UNKNOWN_LABELS', 'null', 'unknownLabels', 'null'],
    ['TRIPFOLIO_OPERATOR_LISTEN', '127.0.0.1:9090', 'operatorListen', '127.0.0.1:9090'],
    ['TRIPFOLIO_OPERATOR_LISTEN', '[::1]:9090', 'operatorListen', '[::1]:9090'],
    ['TRIPFOLIO_OPERATOR_LISTEN', 'metrics.internal:0', 'operatorListen', 'metrics.internal:0'],
    ['TRIPFOLIO_MEMORY_BUDGET', '4GiB', 'memoryBudget', 4 * 2 ** 30],
    ['TRIPFOLIO_MEMORY_BUDGET', '1.5 mb', 'memoryBudget', 1_500_000],
    ['TRIPFOLIO_MEMORY_BUDGET', '2000000', 'memoryBudget', 2_000_000],
    ['TRIPFOLIO_PORT', '', 'port', 8080],
    ['TRIPFOLIO_SOURCE', '', 'source', undefined],
  ]
  for (const [variable, text, name, value] of accepted) {
    it(`reads ${variable}='${text}' as ${String(value)}`, () => {
      assert.equal(load({ env: { [variable]: text } })[name], value)
    })
  }

  const refused: readonly [variable: string, text: string, expected: RegExp][] = [
    ['TRIPFOLIO_PORT', '65536', /an integer from 0 to 65535/],
    ['TRIPFOLIO_PORT', '-1', /an integer from 0/],
    ['TRIPFOLIO_PORT', '80.0', /an integer/],
    ['TRIPFOLIO_PORT', '0x50', /an integer/],
    ['TRIPFOLIO_PORT', ' ', /an integer/],
    ['TRIPFOLIO_HOST', 'http://localhost', /a host name/],
    ['TRIPFOLIO_RETAIN_SNAPSHOTS', '0', /an integer of at least 1/],
    ['TRIPFOLIO_MAX_REJECT_SHARE', '1.01', /a number from 0 to 1/],
    ['TRIPFOLIO_MAX_REJECT_SHARE', '5%', /a number from 0 to 1/],
    ['TRIPFOLIO_MAX_REJECT_SHARE', 'NaN', /a number from 0 to 1/],
    ['TRIPFOLIO_RATE_LIMIT_V1', '0.0005', /a number from 0 to 1000000 with at most 3 decimals/],
    ['TRIPFOLIO_RATE_LIMIT_V1', '-1', /a number from 0/],
    ['TRIPFOLIO_RATE_LIMIT_V1', '1000000.001', /a number from 0 to 1000000/],
    ['TRIPFOLIO_RATE_LIMIT_V2', '1e3', /a number/],
    ['TRIPFOLIO_RATE_LIMIT_V2', '50/s', /a number/],
    ['TRIPFOLIO_RATE_BURST_V1', '0', /an integer from 1 to 1000000/],
    ['TRIPFOLIO_RATE_BURST_V1', '2.5', /an integer from 1/],
    ['TRIPFOLIO_REFRESH', '61 * * * *', /a cron pattern/],
    ['TRIPFOLIO_REFRESH', '0 0 30 2 *', /a cron pattern that will run/],
    ['TRIPFOLIO_OPERATOR_LISTEN', '9090', /an address and a port such as 127\.0\.0\.1:9090/],
    ['TRIPFOLIO_OPERATOR_LISTEN', ':9090', /an address and a port/],
    ['TRIPFOLIO_OPERATOR_LISTEN', '::1:9090', /an address and a port/],
    ['TRIPFOLIO_OPERATOR_LISTEN', '[127.0.0.1]:9090', /an address and a port/],
    ['TRIPFOLIO_OPERATOR_LISTEN', '127.0.0.1:65536', /an address and a port/],
    ['TRIPFOLIO_OPERATOR_LISTEN', 'http://127.0.0.1:9090', /an address and a port/],
    ['TRIPFOLIO_LOG_LEVEL', 'INFO', /one of fatal, error, warn, info/],
    ['TRIPFOLIO_LOG_FORMAT', 'text', /one of auto, json, pretty/],
    ['TRIPFOLIO_MEMORY_BUDGET', '4 gigs', /a size of at least 1MiB/],
    ['TRIPFOLIO_MEMORY_BUDGET', '10', /a size of at least 1MiB/],
  ]
  for (const [variable, text, expected] of refused) {
    it(`refuses ${variable}='${text}'`, () => {
      const [fault, ...others] = faultsOf({ env: { [variable]: text } }).faults
      assert.deepEqual(others, [])
      assert.equal(fault?.setting, variable)
      assert.match(fault.expected, expected)
      assert.equal(fault.found, `'${text}'`)
    })
  }

  it('ignores what Kubernetes says of services named tripfolio and tripfolio-web', () => {
    const env = {
      TRIPFOLIO_SERVICE_HOST: '10.0.0.1',
      TRIPFOLIO_SERVICE_PORT: '8080',
      TRIPFOLIO_SERVICE_PORT_HTTP: '8080',
      TRIPFOLIO_PORT: 'tcp://10.0.0.1:8080',
      TRIPFOLIO_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      TRIPFOLIO_PORT_8080_TCP_PROTO: 'tcp',
      TRIPFOLIO_PORT_8080_TCP_PORT: '8080',
      TRIPFOLIO_PORT_8080_TCP_ADDR: '10.0.0.1',
      TRIPFOLIO_WEB_SERVICE_HOST: 'fd00::1',
      TRIPFOLIO_WEB_PORT: 'udp://[fd00::1]:53',
    }
    const config = load({ env, json: { port: 4711 } })
    assert.deepEqual([config.port, config.sources.port], [4711, 'file'])
  })

  const almostLinks = [
    ['TRIPFOLIO_SERVICE_HOST', 'db.example/x'],
    ['TRIPFOLIO_SERVICE_PORT', 'http'],
    ['TRIPFOLIO_PORT', 'tcp://10.0.0.1'],
    ['TRIPFOLIO_PORT_8080', 'tcp://10.0.0.1:8080'],
    ['TRIPFOLIO_PORT_8080_TCP_PROTO', 'http'],
    ['TRIPFOLIO_PROT', '8080'],
  ] as const
  for (const [variable, value] of almostLinks) {
    it(`refuses what only looks like a variable of Kubernetes: ${variable}=${value}`, () =>
      assert.equal(faultsOf({ env: { [variable]: value } }).faults[0]?.setting, variable))
  }

  it('refuses the same port for operators as for clients', () => {
    const { faults } = faultsOf({
      flags: { port: 9090 },
      env: { TRIPFOLIO_OPERATOR_LISTEN: '10.0.0.1:9090' },
    })
    assert.equal(faults[0]?.setting, 'TRIPFOLIO_OPERATOR_LISTEN')
    assert.match(faults[0]?.expected ?? '', /another port than --port \(9090\)/)
    load({ flags: { port: 0 }, env: { TRIPFOLIO_OPERATOR_LISTEN: '127.0.0.1:0' } })
  })

  it('refuses an unknown TRIPFOLIO_ variable and names the nearest, without showing its value', () => {
    const problem = faultsOf({ env: { TRIPFOLIO_PROT: 'hunter2' } })
    assert.deepEqual(problem.faults, [
      {
        setting: 'TRIPFOLIO_PROT',
        expected: 'the name of a setting',
        found: 'an unknown name',
        nearest: 'TRIPFOLIO_PORT',
      },
    ])
    assert.match(problem.message, /TRIPFOLIO_PROT: .*did you mean TRIPFOLIO_PORT\?/)
    assert.doesNotMatch(problem.message, /hunter2/)
  })

  it('ignores variables of other programs and of the tests', () => {
    load({ env: { PORT: 'x', TRIPFOLIO: 'x', TRIPFOLIO_TEST_POSTGRES: 'x', PATH: '/bin' } })
  })

  it('refuses an unknown member of the file and names the nearest', () => {
    const [fault] = faultsOf({ json: { retainSnapshot: 4 } }).faults
    assert.match(fault?.setting ?? '', /^retainSnapshot in .*tripfolio\.json$/)
    assert.equal(fault?.nearest, 'retainSnapshots')
  })

  for (const [written, nearest] of [
    ['prot', 'port'],
    ['Port', 'port'],
    ['--port', 'port'],
    ['trusted_proxies', 'trustedProxies'],
    ['trusted-proxy', 'trustedProxies'],
    ['TRIPFOLIO_STOP_SECONDS', 'stopSeconds'],
  ] as const) {
    it(`suggests ${nearest} for the member ${written} of the file`, () =>
      assert.equal(faultsOf({ json: { [written]: 'x' } }).faults[0]?.nearest, nearest))
  }

  for (const address of ['s4://bucket/prefix', 'S3://bucket', 'file:///mnt/share', 'https://s3.example/b']) {
    it(`refuses snapshots at ${address}, which would be the name of a folder`, () =>
      assert.match(faultsOf({ env: { TRIPFOLIO_SNAPSHOTS: address } }).faults[0]?.expected ?? '', /^s3:/))
  }

  it('refuses a source at a URL that is no database, without its password', () => {
    for (const source of ['mysql://u:pa/ss@host/db', 's3://bucket/extract', 'https://host/extract.zip']) {
      const { faults, message } = faultsOf({ env: { TRIPFOLIO_SOURCE: source } })
      assert.equal(faults[0]?.expected, 'the path of a folder or the URL of a PostgreSQL database')
      assert.doesNotMatch(message, /pa\/ss/)
    }
  })

  it('suggests nothing for a name that is not near a known one', () => {
    assert.equal(faultsOf({ json: { colour: 'blue' } }).faults[0]?.nearest, undefined)
  })

  it('refuses members with the names of inherited ones', () => {
    assert.equal(faultsOf({ json: '{"__proto__": {"port": 1}, "constructor": 1}' }).faults.length, 2)
  })

  it('refuses the data folder in the file that lies in the data folder', () => {
    assert.match(faultsOf({ json: { data: '/elsewhere' } }).faults[0]?.expected ?? '', /TRIPFOLIO_DATA/)
  })

  it('refuses a file that is not a JSON object, and names the file', () => {
    for (const [json, expected] of [
      ['{ "port": 80', /^JSON$/],
      ['[1]', /a JSON object/],
      ['null', /a JSON object/],
    ] as const) {
      const [fault] = faultsOf({ json }).faults
      assert.match(fault?.setting ?? '', /tripfolio\.json$/)
      assert.match(fault?.expected ?? '', expected)
    }
  })

  it('reads a file that begins with a byte order mark', () => {
    assert.equal(load({ json: '\uFEFF{"port": 81}' }).port, 81)
  })

  it('reads the file in the folder that the flag names, or else the environment', () => {
    load({ json: { port: 4711 } })
    assert.equal(loadConfig({ env: { TRIPFOLIO_DATA: data } }).port, 4711)
    assert.equal(loadConfig({ env: { TRIPFOLIO_DATA: '/nowhere' }, flags: { data } }).port, 4711)
  })

  it('refuses a missing file that was named, but does without the file in the data folder', () => {
    assert.throws(
      () => loadConfig({ env: {}, file: join(data, 'none.json') }),
      (problem: SettingsProblem) => problem.faults[0]?.found === 'ENOENT',
    )
    loadConfig({ env: {}, flags: { data: join(data, 'none') } })
  })

  it('collects every fault of every layer, also in a value that a higher layer overrides', () => {
    const problem = faultsOf({
      flags: { port: '8080', retainSnapshots: 'many' },
      env: { TRIPFOLIO_PORT: 'http', TRIPFOLIO_HSOT: 'x' },
      json: { logLevel: 7, filterNode: 1 },
    })
    assert.deepEqual(
      problem.faults.map(({ setting }) => setting.replace(/ in .*/, '')),
      ['TRIPFOLIO_HSOT', 'filterNode', 'TRIPFOLIO_PORT', '--retain-snapshots', 'logLevel'],
    )
    assert.match(problem.message, /^5 settings are wrong:\n/)
  })

  it('refuses a drain that is not shorter than the stop, from any source', () => {
    const drainMilliseconds = 30_000
    const { faults } = faultsOf({ json: { drainMilliseconds } })
    assert.deepEqual(
      faults.map(({ expected, found }) => [expected, found]),
      [['less than TRIPFOLIO_STOP_SECONDS (30 s)', '30000']],
    )
    assert.match(faults[0]?.setting ?? '', /^drainMilliseconds in .*tripfolio\.json$/)
    const env = { TRIPFOLIO_STOP_SECONDS: '31' }
    assert.equal(load({ json: { drainMilliseconds }, env }).drainMilliseconds, 30_000)
    assert.equal(
      faultsOf({ env: { TRIPFOLIO_STOP_SECONDS: '1', TRIPFOLIO_DRAIN_MILLISECONDS: '1000' } }).faults[0]
        ?.setting,
      'TRIPFOLIO_DRAIN_MILLISECONDS',
    )
  })

  it('refuses an engine on PostgreSQL without a database, and with shared snapshots', () => {
    const engine = { TRIPFOLIO_ENGINE: 'postgres' }
    const faultsIn = (env: Readonly<Record<string, string>>) =>
      faultsOf({ env: { ...engine, ...env } }).faults.map(({ setting, expected }) => [setting, expected])
    assert.deepEqual(faultsIn({}), [
      ['TRIPFOLIO_ENGINE', 'memory, unless TRIPFOLIO_ENGINE_URL or TRIPFOLIO_STORE names a database'],
    ])
    const database = 'postgres://user@host/records'
    assert.deepEqual(faultsIn({ TRIPFOLIO_ENGINE_URL: database, TRIPFOLIO_SNAPSHOTS: '/mnt/share' }), [
      [
        'TRIPFOLIO_SNAPSHOTS',
        'nothing with TRIPFOLIO_ENGINE postgres, which keeps snapshots in its database',
      ],
    ])
    for (const name of ['TRIPFOLIO_ENGINE_URL', 'TRIPFOLIO_STORE']) {
      assert.equal(load({ env: { ...engine, [name]: database } }).engine, 'postgres')
    }
  })

  it('refuses the URL of a database with a password that is not encoded, and does not show it', () => {
    for (const url of ['postgres://app:2024/secret@db/trip', 'postgres://app:1#secret@db/trip']) {
      const [fault] = faultsOf({ env: { TRIPFOLIO_STORE: url } }).faults
      assert.equal(fault?.setting, 'TRIPFOLIO_STORE')
      assert.doesNotMatch(JSON.stringify(fault), /secret/)
    }
  })

  it('shortens a found value that is very long', () => {
    const found = faultsOf({ env: { TRIPFOLIO_PORT: 'x'.repeat(10_000) } }).faults[0]?.found ?? ''
    assert.equal(found.length, 80)
  })

  it('gives the query limits as one value', () => {
    assert.deepEqual(queryLimits(loadConfig({ env: { TRIPFOLIO_FILTER_DEPTH: '7' } })), {
      parameterLength: 8192,
      filterNodes: 500,
      filterDepth: 7,
      listItems: 1000,
      sortClauses: 8,
      applyDimensions: 8,
      applyAggregates: 16,
    })
  })

  it('gives the budget of a request, with Infinity where a setting is 0', () => {
    assert.deepEqual(workBudget(loadConfig({ env: {} })), { rowsScanned: 2_000_000_000, cpuMs: 2000 })
    const env = { TRIPFOLIO_REQUEST_ROWS_SCANNED: '0', TRIPFOLIO_REQUEST_CPU_MS: '0' }
    assert.deepEqual(workBudget(loadConfig({ env })), { rowsScanned: Infinity, cpuMs: Infinity })
  })

  it('gives the rate limits by version, with null where the rate is 0', () => {
    assert.deepEqual(rateLimits(loadConfig({ env: {} })), { v1: { rate: 50, burst: 200 }, v2: null })
    const env = { TRIPFOLIO_RATE_LIMIT_V1: '0', TRIPFOLIO_RATE_LIMIT_V2: '0.5', TRIPFOLIO_RATE_BURST_V2: '3' }
    assert.deepEqual(rateLimits(loadConfig({ env })), { v1: null, v2: { rate: 0.5, burst: 3 } })
  })

  it('gives the limits on computing of a thread, and null where there are none', () => {
    assert.deepEqual(admissionLimits(loadConfig({ env: {} })), {
      running: 16,
      runningOfOne: 4,
      waitingOfOne: 64,
      waitMs: 5000,
      lateMs: 250,
    })
    assert.equal(admissionLimits(loadConfig({ env: { TRIPFOLIO_ACCOUNT_CONCURRENCY: '0' } })), null)
  })

  it('lets an account use most of the connections of the engine on PostgreSQL, and never all', () => {
    const ofOne = (variables: Record<string, string>) => {
      const engine = { TRIPFOLIO_ENGINE: 'postgres', TRIPFOLIO_ENGINE_URL: 'postgres://localhost/t' }
      return admissionLimits(loadConfig({ env: { ...engine, ...variables } }))?.runningOfOne
    }
    assert.equal(ofOne({}), 8)
    assert.equal(ofOne({ TRIPFOLIO_ENGINE_CONNECTIONS: '2' }), 1)
    assert.equal(ofOne({ TRIPFOLIO_ACCOUNT_CONCURRENCY: '3' }), 3)
  })

  it('takes a rate from the file as a number', () => {
    assert.equal(load({ json: { rateLimitV1: 0.1 } }).rateLimitV1, 0.1)
  })

  it('names every variable after its setting, each name once', () => {
    assert.equal(variableOf('requestLineBytes'), 'TRIPFOLIO_REQUEST_LINE_BYTES')
    assert.equal(new Set(settingNames.map(variableOf)).size, settingNames.length)
  })
})

describe('corsOrigins', () => {
  const read = (text: unknown) => settings.corsOrigins.type.read(text)
  for (const good of [
    '*',
    'https://portal.example.com',
    'http://localhost:3000, https://portal.example.com',
    'https://xn--bcher-kva.example',
  ]) {
    it(`takes ${good}`, () => assert.equal(read(good), good))
  }

  for (const bad of [
    '',
    'null',
    'portal.example.com',
    'https://portal.example.com/',
    'https://portal.example.com:443',
    'https://Portal.example.com',
    'https://*.example.com',
    'ftp://portal.example.com',
    'https://a.example,',
    7,
  ]) {
    it(`refuses ${bad || 'the empty text'}`, () => assert.equal(read(bad), undefined))
  }
})

describe('basePath', () => {
  const read = (text: unknown) => settings.basePath.type.read(text)
  for (const good of ['/travel', '/intranet/travel', '/apps', '/docs2/api'])
    it(`takes ${good}`, () => assert.equal(read(good), good))
  // The last ones are addresses that the service has itself.
  for (const bad of [
    ...[
      '',
      '/',
      'travel',
      '/travel/',
      '//travel',
      '/a/../b',
      '/a b',
      '/a%2Fb',
      'https://a.example/travel',
      5,
    ],
    ...['/api', '/API/travel', '/app', '/console', '/docs/x', '/explore', '/livez', '/openapi.json'],
  ])
    it(`refuses ${JSON.stringify(bad)}`, () => assert.equal(read(bad), undefined))
})

describe('trustedProxies', () => {
  const read = (text: unknown) => settings.trustedProxies.type.read(text)
  for (const good of [
    '127.0.0.1',
    '10.0.0.0/8',
    '::1',
    '2001:db8::/32',
    '10.0.0.0/8,192.168.0.1 , fd00::/8',
    '192.0.2.1/32',
    '::ffff:10.0.0.1',
  ]) {
    it(`takes ${good}`, () => assert.equal(read(good), good))
  }

  for (const bad of [
    '',
    ' ',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '::/129',
    '10.0.0',
    '10.0.0.1,',
    '*',
    'true',
    true,
    1,
    // All addresses.
    '0.0.0.0/0',
    '::/0',
  ]) {
    it(`refuses ${JSON.stringify(bad)}`, () => assert.equal(read(bad), undefined))
  }
})

describe('failedAuthLimit', () => {
  it('is in thousandths per second, at most the value of the setting, and null for 0', () => {
    const limitOf = (failedAuthPerMinute: number) =>
      failedAuthLimit(load({ flags: { failedAuthPerMinute, failedAuthBurst: 7 } }))
    assert.deepEqual(limitOf(30), { rate: 0.5, burst: 7 })
    assert.deepEqual(limitOf(1), { rate: 0.016, burst: 7 })
    assert.deepEqual(limitOf(60_000), { rate: 1000, burst: 7 })
    assert.equal(limitOf(0), null)
  })
})

describe('demoToday', () => {
  const read = (text: string) => load({ env: { TRIPFOLIO_DEMO_TODAY: text } }).demoToday

  it('is a date, kept as a day', () => {
    assert.equal(read('1980-01-01'), 3652)
    assert.equal(read('2026-01-01'), 20_454)
    assert.equal(load({ json: { demoToday: '2999-12-31' } }).demoToday, 376_199)
  })

  for (const text of ['1979-12-31', '3000-01-01', '2026-02-30', '2026-1-1', 'today', '20454']) {
    it(`is not '${text}'`, () => {
      const [fault] = faultsOf({ env: { TRIPFOLIO_DEMO_TODAY: text } }).faults
      assert.match(fault?.expected ?? '', /^a date from 1980-01-01 to 2999-12-31/)
    })
  }
})
