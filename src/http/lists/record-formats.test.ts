import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { acceptedFormat } from './record-formats.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('Accept', () => {
  const cases: readonly (readonly [accept: string | undefined, format: string | null])[] = [
    // no preference
    [undefined, 'json'],
    ['', 'json'],
    [' , ', 'json'],
    ['*/*', 'json'],
    ['*/*;q=0.1', 'json'],
    [browser, 'json'],
    ['application/*', 'json'],
    // by name
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/x-ndjson', 'ndjson'],
    ['application/ndjson', 'ndjson'],
    ['application/jsonl', 'ndjson'],
    ['TEXT/CSV', 'csv'],
    ['text/csv; header=present', 'csv'],
    ['application/vnd.apache.arrow.stream', 'arrow'],
    // the highest weight, of equal ones the first in our order
    ['text/csv, application/json', 'json'],
    ['text/csv, application/json;q=0.9', 'csv'],
    ['application/vnd.apache.arrow.stream, application/x-ndjson', 'ndjson'],
    ['text/csv;q=0.5, application/vnd.apache.arrow.stream;q=0.6, text/html', 'arrow'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['application/x-ndjson;q=0.2, application/jsonl;q=0.8, application/json;q=0.5', 'ndjson'],
    ['text/csv, */*', 'json'],
    ['text/csv, text/*', 'csv'],
    ['text/csv;q=0.5, application/*;q=0.4', 'csv'],
    ['text/csv;q=0.4, application/*;q=0.5', 'json'],
    // the most specific range gives the weight, even a lower one
    ['text/csv;q=0.5, application/json;q=0.1, */*', 'csv'],
    ['application/json;q=0.1, application/*, */*', 'json'],
    // a range alone chooses another format only when JSON is excluded
    ['text/*', 'json'],
    ['text/*;q=0.5', 'json'],
    ['application/json;q=0.1, */*', 'json'],
    ['application/*;q=0.1, */*;q=0.5', 'json'],
    ['text/csv;q=0, text/*', 'json'],
    ['application/json;q=0, */*', 'ndjson'],
    ['application/json;q=0, application/*;q=0.1, text/*;q=0', 'ndjson'],
    ['application/json;q=0, text/*', 'csv'],
    ['application/*;q=0, */*', 'csv'],
    ['application/*;q=0, application/jsonl;q=0.1', 'ndjson'],
    ['application/json;q=0, application/x-ndjson;q=0, text/csv;q=0, */*', 'arrow'],
    // unknown types are disregarded
    ['text/html', 'json'],
    ['text/plain', 'json'],
    ['application/xml, image/*', 'json'],
    ['application/vnd.apache.arrow.file', 'json'],
    ['application/problem+json', 'json'],
    ['text/html, text/csv;q=0.1', 'csv'],
    ['text/html;q=0', 'json'],
    ['text/csv;q=0', 'json'],
    // JSON is excluded, and no other format is left
    ['application/json;q=0', null],
    ['application/json;q=0.0, text/html', null],
    ['application/*;q=0', null],
    ['*/*;q=0', null],
    ['*/*;q=0, text/html', null],
    ['text/csv;q=0, */*;q=0, text/*', null],
    // malformed
    ['json', 'json'],
    ['text/csv, json', 'json'],
    ['*/csv', 'json'],
    ['text/csv;q=2', 'json'],
    ['text/html;q', 'json'],
  ]
  for (const [accept, format] of cases) {
    it(`${accept ?? 'left out'} is answered with ${format ?? 'a refusal'}`, () => {
      assert.equal(acceptedFormat(accept), format)
      assert.equal(acceptedFormat(accept), format)
    })
  }
})
