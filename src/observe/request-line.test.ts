import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { anyCharacter } from '../../test/fixtures/any-character.ts'
import { logLine } from './log-lines.ts'
import { createLogger } from './logger.ts'
import type { Answered } from './observation.ts'

/** Texts as callers may send them: plain ones, controls, quotes, lone surrogates, line separators. */
const text = fc.oneof(
  fc.constantFrom('/api/v2/bookings', 'GET', '', '\u2028', '\ud800', 'a\nb', '"', '\\', '\u007f', '\u0000'),
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
)
const perhaps = fc.option(text, { nil: undefined })

const answered: fc.Arbitrary<Answered> = fc.record({
  kind: fc.constant('request-answered' as const),
  requestId: text,
  method: text,
  route: text,
  status: fc.integer({ min: 100, max: 599 }),
  milliseconds: fc.oneof(
    fc.double({ min: 0, max: 1e6, noNaN: true }),
    fc.integer({ min: 0, max: 1e7 }).map((microseconds) => microseconds / 1000),
  ),
  bytes: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  accountId: perhaps,
  clientNumber: perhaps,
  address: perhaps,
  problem: perhaps,
  aborted: fc.boolean(),
})

describe('the line of a request', () => {
  it('is what JSON.stringify writes for the members of the table, whatever the texts are', () => {
    let written = ''
    const destination = {
      write: (lines: string) => {
        written += lines
      },
    }
    const logger = createLogger({ level: 'debug', format: 'json', destination })
    fc.assert(
      fc.property(answered, (observation) => {
        written = ''
        logger.write([observation])
        const line = logLine(observation)
        const time = /"time":"([^"]*)"/.exec(written)?.[1]
        const members = { level: line?.level, time, ...line?.members, msg: line?.message }
        assert.equal(written, `${JSON.stringify(members)}\n`)
      }),
      { numRuns: 2000 },
    )
  })
})
