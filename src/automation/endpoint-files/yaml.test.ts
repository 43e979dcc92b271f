import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { endpointCategories, endpointMethods, recordedParts } from '../../schema/endpoint-shapes.ts'
import { placeAt } from '../../script/problems.ts'
import { spend } from '../testing/definitions.ts'
import { readEndpointYaml, type ScriptlessDefinition } from './yaml.ts'
import { changedEndpointYaml, newEndpointYaml } from './yaml-text.ts'

const required = 'name: Spend\ncategory: Utility\nmethod: GET\npath: spend\n'

const { script: _, ...smallest } = spend

describe('the YAML of an endpoint', () => {
  it('gets the defaults of the definition for members that are left out', () => {
    const { definition, faults, script } = readEndpointYaml(required)
    assert.deepEqual([definition, faults, script], [smallest, [], null])
  })

  it('may have null for members that may be left out', () => {
    const text = `${required}signature: null\ndeduplication:\nlimits:\n`
    assert.deepEqual(readEndpointYaml(text).definition, smallest)
  })

  it('names the file of the script', () => {
    assert.equal(readEndpointYaml(`${required}script: other.jyro\n`).script, 'other.jyro')
  })

  const faulty: readonly (readonly [what: string, text: string, place: string, message: RegExp])[] = [
    ['is not YAML', 'name: "x\n', '2:1', /not YAML/],
    ['says a member twice', `${required}name: B\n`, '5:1', /not YAML.*unique/],
    ['is empty', '', 'nowhere', /Expected members/],
    ['is a list', '- a\n', '1:1', /Expected members/],
    ['holds two documents', `${required}---\na: 1\n`, '5:1', /not YAML/],
    ['has a tag', `${required}description: !x y\n`, '5:14', /not YAML.*tag/],
    ['has a member too many', `${required}polled: true\n`, '5:1', /found 'polled'$/],
    ['has a slip in a member', `${required}alowedRoles: [a]\n`, '5:1', /did you mean allowedRoles\?/],
    ['has a slip in a limit', `${required}limits:\n  depth: 5\n  loop: 5\n`, '7:3', /did you mean loops\?/],
    ['lacks a member', 'name: Spend\nmethod: GET\npath: a\n', '1:1', /the member category, found none/],
    ['has half a route', 'name: Spend\ncategory: Utility\nmethod: GET\n', '1:1', /or neither.*no path$/],
    [
      'has a schedule without a member',
      `${required}schedules:\n  - name: a\n    missedRuns: once\n`,
      '6:5',
      /the member cron/,
    ],
    [
      'has an unknown policy',
      `${required}schedules:\n  - {name: a, cron: '@daily', missedRuns: twice}\n`,
      '6:43',
      /one of skip, once, all as schedules\.0\.missedRuns, found 'twice'/,
    ],
    ['lacks a member inside', `${required}signature:\n  style: github\n`, '6:3', /the member secret/],
    [
      'has no place for the id of a delivery',
      `${required}deduplication:\n  windowSeconds: 5\n`,
      '6:3',
      /Expected header, field or both as deduplication/,
    ],
    [
      'has a field that is no pointer',
      `${required}deduplication: {field: event.id, windowSeconds: 5}\n`,
      '5:24',
      /deduplication\.field, found 'event\.id'/,
    ],
    [
      'has a range that is none',
      `${required}allowedAddresses: [10.0.0.0/8, 10.0.0.0/33]\n`,
      '5:32',
      /an address or a range such as .* as allowedAddresses\.1, found '10\.0\.0\.0\/33'/,
    ],
    [
      'has an origin with a path',
      `${required}cors: {origins: ['https://a.example.com/']}\n`,
      '5:18',
      /cors\.origins\.0/,
    ],
    [
      'has an unknown period',
      `${required}rateLimit: {calls: 5, per: hour}\n`,
      '5:28',
      /one of second, minute/,
    ],
    ['has an unknown word', required.replace('GET', 'get'), '3:9', /one of GET, POST.*'get'/],
    ['has an unknown style', `${required}signature: {style: x, secret: y}\n`, '5:20', /one of github/],
    [
      'has a number out of bounds',
      `${required}limits: {depth: 0}\n`,
      '5:17',
      /Expected at least 1 as limits\.depth, found 0/,
    ],
    [
      'has a page in place of an origin',
      `${required}cors: {origins: [a.example]}\n`,
      '5:18',
      /an origin such as https:\/\/app\.example\.com, or \* as cors\.origins\.0, found 'a\.example'/,
    ],
    [
      'has a name of a schedule with a space',
      `${required}schedules: [{name: a b, cron: '@daily', missedRuns: skip}]\n`,
      '5:20',
      /small letters, digits and hyphens as schedules\.0\.name, found 'a b'/,
    ],
    ['has a text for a flag', `${required}requiresAuthentication: yes\n`, '5:25', /true or false.*'yes'/],
    [
      'has a text in place of a list',
      `${required}allowedRoles: erp\n`,
      '5:15',
      /a list as allowedRoles, found 'erp'/,
    ],
    [
      'has a number as a role',
      `${required}allowedRoles: [a, 7]\n`,
      '5:19',
      /a text as allowedRoles\.1, found 7/,
    ],
    [
      'has an address as a host',
      `${required}allowedHosts: [https://a]\n`,
      '5:16',
      /a host such as.*without https/,
    ],
    ['has spaces around the name', required.replace('Spend', '" Spend"'), '1:7', /without spaces/],
    ['has an invalid path', required.replace('path: spend', 'path: a/{b}/{b}'), '4:7', /\{b\} twice/],
    [
      'names a script elsewhere',
      `${required}script: ../other.jyro\n`,
      '5:9',
      /name of a file in the same folder/,
    ],
  ]
  for (const [what, text, place, message] of faulty) {
    it(`is refused at its place when it ${what}`, () => {
      const { definition, faults } = readEndpointYaml(text)
      assert.equal(definition, null)
      const found = faults.map(({ at, message }) => {
        const { line, column } = at === null ? { line: 0, column: 0 } : placeAt(text, at)
        return [at === null ? 'nowhere' : `${line}:${column}`, message] as const
      })
      assert.deepEqual(
        found.map(([at]) => at),
        [place],
        JSON.stringify(found),
      )
      assert.match(found[0]?.[1] ?? '', message)
    })
  }

  it('has a code for text that is not YAML, and one for members that are wrong', () => {
    const codesOf = (text: string) => readEndpointYaml(text).faults.map(({ code }) => code)
    assert.deepEqual(codesOf('name: "x\n'), ['END141'])
    assert.deepEqual(codesOf('- a\n'), ['END141'])
    assert.deepEqual(codesOf(`${required}polled: true\n`), ['END142'])
  })

  it('is refused with all its faults at once', () => {
    const text = `name: 7\ncategory: x\nmethod: y\npath: /\nzzz: 1\nlimits: {a: 1, b: 2}\nallowedRoles: [1, 2, 3]\n`
    assert.equal(readEndpointYaml(text).faults.length, 10)
  })

  it('is refused when its aliases expand to more than fits into memory', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `a${i}: &a${i} [x, ${`*a${i - 1}, `.repeat(i && 9)}]`)
    assert.match(readEndpointYaml(levels.join('\n')).faults[0]?.message ?? '', /alias/)
  })
})

describe('the YAML that is written for an endpoint', () => {
  it('has only members that differ from the defaults, in the order of the definition', () => {
    assert.equal(newEndpointYaml(smallest), required)
    const definition: ScriptlessDefinition = {
      ...smallest,
      path: '{id}',
      allowedRoles: ['erp', 'null'],
      description: 'One\nTwo',
      limits: { loops: 5, milliseconds: 7 },
      requiresAuthentication: false,
      // As the store has them: sorted by name.
      cors: { headers: ['x-a'], origins: ['*'] },
      rateLimit: { by: 'address', calls: 5, per: 'second' },
    }
    assert.equal(
      newEndpointYaml(definition),
      `name: Spend
description: |-
  One
  Two
category: Utility
method: GET
path: "{id}"
requiresAuthentication: false
allowedRoles:
  - erp
  - "null"
limits:
  milliseconds: 7
  loops: 5
cors:
  origins:
    - "*"
  headers:
    - x-a
rateLimit:
  calls: 5
  per: second
  by: address
`,
    )
  })

  const commented = `# Who wants this: finance
name: Spend # not "spending"
category: Utility
method: GET

# The one that was printed
path: spend
limits:
  # measured
  loops: 7 # rounds
  depth: 3
`
  const before: ScriptlessDefinition = { ...smallest, limits: { loops: 7, depth: 3 } }

  it('stays as it is when nothing is changed', () => {
    assert.equal(changedEndpointYaml(commented, before, { ...before }), commented)
  })

  const changes: readonly (readonly [string, Partial<ScriptlessDefinition>, string, string])[] = [
    ['a text', { path: 'a/b' }, 'path: spend', 'path: a/b'],
    ['a limit', { limits: { loops: 8, depth: 3 } }, 'loops: 7 #', 'loops: 8 #'],
    ['a limit that goes', { limits: { loops: 7 } }, '  depth: 3\n', ''],
    [
      'a new limit',
      { limits: { loops: 7, depth: 3, statements: 1 } },
      'depth: 3',
      'depth: 3\n  statements: 1',
    ],
    ['a new member', { description: 'New' }, 'category: Utility', 'description: New\ncategory: Utility'],
    ['a list that comes', { allowedRoles: ['a'] }, 'limits:', 'allowedRoles:\n  - a\nlimits:'],
  ]
  for (const [what, change, from, to] of changes) {
    it(`keeps its comments around ${what}`, () => {
      const changed = changedEndpointYaml(commented, before, { ...before, ...change })
      assert.equal(changed, commented.replace(from, to))
    })
  }

  it('reads back as the definition that it was made from', () => {
    fc.assert(
      fc.property(arbitraryDefinition, (definition) => {
        const text = newEndpointYaml(definition)
        assert.deepEqual(readEndpointYaml(text).definition, definition, text)
      }),
    )
  })

  it('reads back as the definition that it was changed to', () => {
    fc.assert(
      fc.property(arbitraryDefinition, arbitraryDefinition, (one, other) => {
        const text = changedEndpointYaml(newEndpointYaml(one), one, other)
        assert.deepEqual(readEndpointYaml(text).definition, other, text)
      }),
    )
  })

  it('reads back as the definition that it was changed to when two members share one value', () => {
    const text = `${required}description: &d one\nallowedRoles: [*d]\n`
    const { definition } = readEndpointYaml(text)
    assert.ok(definition)
    const after = { ...definition, description: 'two' }
    assert.deepEqual(readEndpointYaml(changedEndpointYaml(text, definition, after)).definition, after)
  })
})

/** Includes texts that YAML might read as something else. */
const word = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '007',
    '1e3',
    '- a',
    'a: b',
    '# no',
    '~',
    "it's",
    '"',
    '2026-01-31',
    '<<',
    '...',
  ),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 8 }).filter((text) => text.isWellFormed()),
)
const name = word.filter((text) => /^\S(.*\S)?$/.test(text))

/** Also the definition that the others are compared with. */
const plain = { noNullPrototype: true } as const

const arbitraryDefinition: fc.Arbitrary<ScriptlessDefinition> = fc.record(
  {
    name,
    description: fc.oneof(fc.constantFrom('', 'a\nb\n', ' \n x', 'a\r\nb', '\ttab'), word),
    category: fc.constantFrom(...endpointCategories),
    method: fc.constantFrom(...endpointMethods),
    path: fc.constantFrom('a', 'a/{b}', '{a}/b', '~', '007', '1.0'),
    requiresAuthentication: fc.boolean(),
    allowedRoles: fc.uniqueArray(word, { maxLength: 3 }),
    allowedHosts: fc.uniqueArray(fc.constantFrom('a.example', '*.b.example', 'c:8443', '[::1]:1'), {
      maxLength: 3,
    }),
    record: fc.constantFrom(...recordedParts),
    maskedFields: fc.uniqueArray(fc.constantFrom('passport', 'Card no', '$.a[*].b', '$[0]'), {
      maxLength: 3,
    }),
    limits: fc.record(
      {
        milliseconds: fc.integer({ min: 1, max: 300_000 }),
        loops: fc.integer({ min: 1, max: 1_000_000 }),
        concurrency: fc.integer({ min: 1, max: 1000 }),
      },
      { requiredKeys: [], ...plain },
    ),
    signature: fc.option(
      fc.record(
        {
          style: fc.constantFrom('github', 'stripe', 'slack', 'plain'),
          secret: word,
          previousSecret: word,
          prefix: fc.constantFrom('', 'v1=', '#'),
        },
        { requiredKeys: ['style', 'secret'], ...plain },
      ),
    ),
    deduplication: fc.option(
      fc.oneof(
        fc.record(
          { header: fc.constantFrom('X-Id', 'No'), windowSeconds: fc.integer({ min: 1, max: 9 }) },
          plain,
        ),
        fc.record({ field: fc.constantFrom('/id', '/a/0/b'), windowSeconds: fc.constant(5) }, plain),
      ),
    ),
    finishWhenCallerLeaves: fc.boolean(),
    cors: fc.record(
      {
        origins: fc.uniqueArray(fc.constantFrom('*', 'https://a.example.com', 'http://localhost:3000')),
        headers: fc.array(fc.constantFrom('X-A', 'No'), { maxLength: 2 }),
        maxAgeSeconds: fc.nat(86_400),
      },
      { requiredKeys: ['origins'], ...plain },
    ),
    rateLimit: fc.record(
      {
        calls: fc.integer({ min: 1, max: 9 }),
        per: fc.constantFrom('second', 'minute'),
        by: fc.constantFrom('caller', 'address'),
      },
      { requiredKeys: ['calls', 'per'], ...plain },
    ),
    allowedAddresses: fc.uniqueArray(fc.constantFrom('10.0.0.0/8', '::1', '203.0.113.7'), { minLength: 1 }),
    compress: fc.boolean(),
    schedules: fc.uniqueArray(
      fc.record(
        {
          name: fc.constantFrom('a', 'b-1', '007'),
          cron: fc.constantFrom('@daily', '*/5 * * * *', '0 6 * * MON-FRI'),
          timeZone: fc.constantFrom('UTC', 'Pacific/Auckland'),
          input: fc.oneof(fc.constantFrom(null, [], {}, { to: ['x'] }, { on: null }), word, fc.integer()),
          missedRuns: fc.constantFrom('skip', 'once', 'all'),
          overlap: fc.boolean(),
        },
        plain,
      ),
      { maxLength: 2, selector: ({ name }) => name },
    ),
  },
  plain,
)
