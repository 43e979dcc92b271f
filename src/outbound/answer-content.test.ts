import assert from 'node:assert/strict'
import { it } from 'node:test'
import { answerContent } from './answer-content.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const E_ACUTE_LATIN1 = bytes(0xe9)
const E_ACUTE_UTF8 = Buffer.from('\u00e9')

it('the body of an answer is read as its headers say', () => {
  for (const [type, body, expected] of [
    ['text/plain', E_ACUTE_UTF8, { kind: 'text', text: '\u00e9' }],
    ['text/plain; charset=ISO-8859-1', E_ACUTE_LATIN1, { kind: 'text', text: '\u00e9' }],
    ['text/csv;header=present; Charset="windows-1252"', bytes(0x80), { kind: 'text', text: '\u20ac' }],
    ['text/plain; charset=shift_jis', bytes(0x82, 0xa0), { kind: 'text', text: '\u3042' }],
    ['text/plain; charset=utf-16le', bytes(0x41, 0), { kind: 'text', text: 'A' }],
    ['text/plain; charset=no-such', E_ACUTE_UTF8, { kind: 'text', text: '\u00e9' }],
    ['text/plain', E_ACUTE_LATIN1, { kind: 'text', text: '\ufffd' }],
    ['text/plain', Buffer.from('\ufeffa'), { kind: 'text', text: 'a' }],
    ['application/json', Buffer.from('{}'), { kind: 'json', text: '{}' }],
    ['Application/Problem+JSON; charset=utf-8', Buffer.from('{}'), { kind: 'json', text: '{}' }],
    ['application/soap+xml', Buffer.from('<a/>'), { kind: 'text', text: '<a/>' }],
    ['application/pdf', Buffer.from('%PDF'), { kind: 'bytes' }],
    [undefined, E_ACUTE_UTF8, { kind: 'text', text: '\u00e9' }],
    [undefined, E_ACUTE_LATIN1, { kind: 'bytes' }],
  ] as const) {
    const headers = type === undefined ? {} : { 'content-type': type }
    assert.deepEqual(answerContent(headers, body), expected, type)
  }
})
