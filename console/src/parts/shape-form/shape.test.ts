import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  CallRate,
  Deduplication,
  EndpointDefinition,
  Schedule,
} from '../../../../src/schema/endpoint-shapes.ts'
import { controlOf, faultsAt, initialValues, integerOf, labelOf, type Shape, withMember } from './shape.ts'

/** As the build writes them. */
const asBuilt = (shape: object): Shape => JSON.parse(JSON.stringify(shape))

const shape = asBuilt(EndpointDefinition)

describe('the control of a member', () => {
  it('follows from its shape, with what stands for nothing', () => {
    const controls = Object.keys(shape.properties ?? {}).map((name) => {
      const control = controlOf(shape, name)
      return [name, control.kind, ...('nothing' in control ? [control.nothing] : [])]
    })
    assert.deepEqual(controls.slice(0, 9), [
      ['name', 'text'],
      ['description', 'long-text'],
      ['category', 'words'],
      ['method', 'words', null],
      ['path', 'text', null],
      ['requiresAuthentication', 'yes-no'],
      ['allowedRoles', 'lines'],
      ['limits', 'object'],
      ['allowedHosts', 'lines'],
    ])
    const kinds = Object.fromEntries(controls.map(([name, ...rest]) => [name as string, rest]))
    assert.deepEqual(kinds.signature, ['object', null])
    assert.deepEqual(kinds.finishWhenCallerLeaves, ['yes-no', undefined])
    assert.deepEqual(kinds.rateLimit, ['object', undefined])
    assert.deepEqual(kinds.schedules, ['objects'])
    assert.equal(controlOf(asBuilt(Schedule), 'input').kind, 'json')
  })

  it('begins with the defaults, and with something to start from', () => {
    assert.deepEqual(initialValues(asBuilt(CallRate)), { calls: 1, per: 'second' })
    assert.deepEqual(initialValues(asBuilt(Deduplication)), { windowSeconds: 1 })
    assert.deepEqual(initialValues(asBuilt(Schedule)), {
      ...{ name: '', cron: '', timeZone: 'UTC', input: null, missedRuns: 'skip', overlap: false },
    })
  })
})

describe('the values of a form', () => {
  it('keep the order of members and lose those that are left out', () => {
    assert.deepEqual(Object.keys(withMember({ a: 1, b: 2 }, 'a', 3)), ['a', 'b'])
    assert.deepEqual(withMember({ a: 1, b: 2 }, 'a', undefined), { b: 2 })
  })

  it('have numbers where digits stand, and leave it to the server to refuse anything else', () => {
    assert.deepEqual(['12', ' -3 ', '1.5', 'x'].map(integerOf), [12, -3, '1.5', 'x'])
  })

  it('have the faults of a member and of the lines in it, and of no other', () => {
    const faults = [
      { path: '/allowedHosts/1', message: 'must be a host' },
      { path: '/limits/depth', message: 'must be at least 1' },
    ]
    assert.equal(faultsAt(faults, '/allowedHosts'), '2: must be a host')
    assert.equal(faultsAt(faults, '/limits/depth'), 'must be at least 1')
    assert.equal(faultsAt(faults, '/limits'), undefined)
  })

  it('have labels in words', () => {
    assert.deepEqual(['allowedHosts', 'cors', 'memoryBytes'].map(labelOf), [
      'Allowed hosts',
      'Cors',
      'Memory bytes',
    ])
  })
})
