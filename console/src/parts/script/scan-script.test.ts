import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { calledAt, scanScript, tokenIndexAt } from './scan-script.ts'

const examples = join(import.meta.dirname, '../../../../examples/endpoints')

describe('a scanned script', () => {
  it('has its blocks and brackets, also when some of them do not close', () => {
    const text = 'func f(a)\n  if a then\n    Data.end = { if: 1 }\n  end\nend\nwhile true do\n'
    const { blocks } = scanScript(text)
    assert.deepEqual(
      blocks.map(({ start, end }) => [text.slice(start, start + 2), text.slice(end, end + 3)]),
      [
        ['fu', 'end'],
        ['(a', ')\n '],
        ['if', 'end'],
        ['{ ', '}\n '],
      ],
    )
  })

  it('has the names that it declares and the members of Data that it mentions', () => {
    const { names, members } = scanScript(
      'union Shape\n  Circle(r)\n  Dot\nend\nfunc area(shape, scale = 2)\nend\nvar total = 0\nforeach b in Data.rows do\nend\nx = Map(a, (item, i) => item)\nData.sum = Sort(a, y => y)\n',
    )
    assert.deepEqual(
      names.map(({ name, kind }) => `${kind} ${name}`),
      [
        ...['variant Circle', 'variant Dot', 'variable shape', 'variable scale', 'function area'],
        ...['variable total', 'variable b', 'variable i', 'variable item', 'variable y'],
      ],
    )
    assert.deepEqual([...members], ['rows', 'sum'])
  })

  it('closes every block of the examples', () => {
    for (const file of readdirSync(examples).filter((name) => name.endsWith('.jyro'))) {
      const { tokens, blocks } = scanScript(readFileSync(join(examples, file), 'utf8'))
      const closers = tokens.filter(({ text, kind }, index) =>
        kind === 'symbol'
          ? /^[)\]}]$/.test(text)
          : text === 'end' && tokens[index - 1]?.text !== '.' && tokens[index + 1]?.text !== ':',
      )
      assert.equal(blocks.length, closers.length, file)
    }
  })

  it('finds the token at any offset of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(60), (text, offset) => {
        const { tokens } = scanScript(text)
        const found = tokens[tokenIndexAt(tokens, offset)]
        assert.ok(found === undefined || found.span.end > offset)
        calledAt(tokens, offset)
      }),
    )
  })

  it('tells which function an argument belongs to', () => {
    const text = 'x = Join(Map(list, y => [y, 1]), ",")'
    const { tokens } = scanScript(text)
    assert.equal(calledAt(tokens, text.indexOf('Join') + 2), 'Join')
    assert.equal(calledAt(tokens, text.indexOf('y, 1')), 'Map')
    assert.equal(calledAt(tokens, text.indexOf('","')), 'Join')
    assert.equal(calledAt(tokens, 1), undefined)
  })
})
