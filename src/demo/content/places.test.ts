import assert from 'node:assert/strict'
import { test } from 'node:test'
import { airport, airports, countryOf, flightMinutes, kilometresBetween, railLines } from './places.ts'

test('airport codes are three letters and unique', () => {
  assert.equal(new Set(airports.map(({ code }) => code)).size, airports.length)
  for (const { code } of airports) assert.match(code, /^[A-Z]{3}$/)
})

test('both ends of every railway line lie in a known country', () => {
  for (const { from, to } of railLines) assert.ok(countryOf(from) && countryOf(to), `${from}-${to}`)
})

for (const { from, to, kilometres, minutes } of [
  { from: 'SYD', to: 'MEL', kilometres: 706, minutes: 85 },
  { from: 'LHR', to: 'JFK', kilometres: 5540, minutes: 450 },
  { from: 'SYD', to: 'SIN', kilometres: 6290, minutes: 505 },
]) {
  test(`${from} to ${to} is about ${kilometres} km and ${minutes} minutes`, () => {
    const found = kilometresBetween(airport(from), airport(to))
    assert.ok(Math.abs(found - kilometres) < kilometres * 0.02, `${found} km`)
    assert.ok(Math.abs(flightMinutes(found) - minutes) <= 10, `${flightMinutes(found)} minutes`)
  })
}
