import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails } from '../../testing/context.ts'
import { entriesOf, isValid, matchesAsListed } from '../../testing/schema.ts'

const integer = { type: 'integer' }

describe('$ref', () => {
  matchesAsListed([
    [
      { properties: { a: { $ref: '#' } }, additionalProperties: false },
      [{ a: { a: {} } }],
      [{ a: { b: 1 } }],
    ],
    [{ $ref: '#/$defs/a', $defs: { a: integer } }, [1], ['a']],
    [{ $ref: '#/definitions/a', definitions: { a: integer } }, [1], ['a']],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: integer } }, [1], ['a']],
    [{ $ref: '#/prefixItems/0', prefixItems: [{ minItems: 1 }] }, [[[1]], 1], [[]]],
    [{ $ref: '#/$defs/a~1b~0c%25d%22e', $defs: { 'a/b~c%d"e': integer } }, [1], ['a']],
    [{ $ref: '#/$defs//x', $defs: { '': { $defs: {}, ...integer, x: integer } } }, [1], ['a']],
    [{ $ref: '#/$defs/a', minimum: 2, $defs: { a: integer } }, [2], [1, 'a']],
    [{ properties: { $ref: integer } }, [{ $ref: 1 }], [{ $ref: 'a' }]],
    [{ $ref: '#/$defs/yes', $defs: { yes: true } }, [1], []],
    [{ $ref: '#/$defs/no', $defs: { no: false } }, [], [1]],
    // To a place where no keyword expects a schema.
    [{ $ref: '#/unknown/a', unknown: { a: { ...integer, not: { const: 2 } } } }, [1], [2, 'a']],
    [{ $ref: '#/const', const: { type: 'object' } }, [{ type: 'object' }], [{}]],
    // Anchors and resources.
    [{ $ref: '#here', $defs: { a: { $anchor: 'here', ...integer } } }, [1], ['a']],
    [{ $ref: 'http://e.com/a', $defs: { a: { $id: 'http://e.com/a', ...integer } } }, [1], ['a']],
    [{ $id: 'http://e.com/base/x', $ref: 'a', $defs: { a: { $id: 'a', ...integer } } }, [1], ['a']],
    [
      {
        $id: 'http://e.com/base/x',
        $ref: '/base/a#in',
        $defs: { a: { $id: 'a', $defs: { b: { $anchor: 'in', ...integer } } } },
      },
      [1],
      ['a'],
    ],
    [
      {
        $id: 'http://e.com/',
        $ref: 'a.json#/$defs/b',
        $defs: { a: { $id: 'a.json', $defs: { b: integer } } },
      },
      [1],
      ['a'],
    ],
    [{ $ref: 'a.json', $defs: { a: { $id: 'a.json', ...integer } } }, [1], ['a']],
    [
      { $ref: 'urn:uuid:1', $defs: { a: { $id: 'urn:uuid:1', $ref: '#/$defs/b', $defs: { b: integer } } } },
      [1],
      ['a'],
    ],
    [
      { $id: 'urn:x:y', properties: { a: { $ref: 'urn:x:y#/$defs/i' } }, $defs: { i: integer } },
      [{ a: 1 }],
      [{ a: 'a' }],
    ],
    [
      // A pointer leads into another resource, and references there are relative to that resource.
      {
        $ref: '#/$defs/a/$defs/b',
        $defs: { a: { $id: 'dir/a', $defs: { b: { $ref: 'c' }, c: { $id: 'c', ...integer } } } },
      },
      [1],
      ['a'],
    ],
    [
      // Pointers inside an embedded resource do not reach the outer one.
      {
        $defs: { x: { type: 'string' } },
        properties: { a: { $id: 'a', $ref: '#/$defs/x', $defs: { x: integer } } },
      },
      [{ a: 1 }],
      [{ a: 'a' }],
    ],
    [
      // Neither an argument nor an unknown keyword declares anything.
      {
        enum: [1, 'a'],
        unknown: { $id: 'http://e.com/a', type: 'null' },
        const: 1,
        anyOf: [{ $ref: 'http://e.com/a' }],
        $defs: {
          a: { const: { $id: 'http://e.com/a', type: 'null' } },
          b: { $id: 'http://e.com/a', ...integer },
        },
      },
      [1],
      ['a'],
    ],
  ])

  const nowhere = [
    '#/$defs/b',
    '#/$defs/a/type/0',
    '#/$defs/list/01',
    '#/$defs/list/2',
    '#/$defs/list/-',
    '#nothing',
    '#/toString',
    '#/__proto__',
    'other.json',
    'http://json-schema.org/draft-07/schema#',
    'http://[',
    '#/%E0%A4%A',
  ]
  for (const $ref of nowhere) {
    it(`refuses ${$ref}, which does not exist, once it is needed`, () => {
      const schema = { properties: { x: { $ref } }, $defs: { a: integer, list: { enum: [1, 2] } } }
      assert.equal(isValid({}, schema), true)
      fails('JM5002', () => entriesOf({ x: 1 }, schema))
    })
  }

  it('refuses a target that is not a schema', () => {
    for (const $ref of ['#/enum/0', '#/enum', '#/title']) {
      fails('JM5002', () => entriesOf(1, { anyOf: [{ $ref }], enum: [1], title: 'x' }))
    }
    fails('JM5002', () => entriesOf(1, { $ref: '#/unknown', unknown: { type: 'x' } }))
  })

  it('reads a schema that is used in several resources once for each', () => {
    const shared = { $ref: '#/$defs/x' }
    const schema = {
      properties: {
        a: { $id: 'a', $defs: { x: integer }, allOf: [shared] },
        b: { $id: 'b', $defs: { x: { type: 'null' } }, allOf: [shared] },
      },
    }
    assert.equal(isValid({ a: 1, b: null }, schema), true)
    assert.equal(isValid({ a: null }, schema), false)
    assert.equal(isValid({ b: 1 }, schema), false)
  })
})

describe('$dynamicRef', () => {
  const tree = {
    $id: 'http://e.com/tree',
    $dynamicAnchor: 'node',
    type: 'object',
    properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
  }
  const strictTree = {
    $id: 'http://e.com/strict',
    $dynamicAnchor: 'node',
    $ref: 'tree',
    unevaluatedProperties: false,
    $defs: { tree },
  }
  const misspelt = { children: [{ daat: 1 }] }
  matchesAsListed([
    [tree, [{ children: [{ data: 1 }] }, misspelt], [{ children: [1] }]],
    [strictTree, [{ children: [{ data: 1 }] }], [misspelt, { daat: 1 }, { children: [1] }]],
    [{ $dynamicRef: '#a', $defs: { a: { $dynamicAnchor: 'a', type: 'null' } } }, [null], [1]],
    [{ $dynamicRef: '#a', $defs: { a: { $anchor: 'a', type: 'null' } } }, [null], [1]],
    [{ $ref: '#a', $defs: { a: { $dynamicAnchor: 'a', type: 'null' } } }, [null], [1]],
    [
      // The list is generic: the outermost resource defines its items.
      {
        $id: 'http://e.com/base',
        $ref: 'list',
        $defs: {
          item: { $dynamicAnchor: 'items', type: 'string' },
          list: {
            $id: 'list',
            items: { $dynamicRef: '#items' },
            $defs: { any: { $dynamicAnchor: 'items' } },
          },
        },
      },
      [['a']],
      [[1]],
    ],
    [
      // A plain anchor of that name in between does not count, nor does a pointer.
      {
        $id: 'http://e.com/base',
        $ref: 'list',
        $defs: {
          item: { $anchor: 'items', type: 'string' },
          list: {
            $id: 'list',
            items: { $dynamicRef: '#items' },
            $defs: { any: { $dynamicAnchor: 'items' } },
          },
        },
      },
      [['a'], [1]],
      [],
    ],
    [
      {
        $id: 'http://e.com/base',
        $ref: 'list',
        $defs: {
          item: { $dynamicAnchor: 'items', type: 'string' },
          list: {
            $id: 'list',
            items: { $dynamicRef: '#/$defs/any' },
            $defs: { any: { $dynamicAnchor: 'items' } },
          },
        },
      },
      [[1]],
      [],
    ],
  ])
})

describe('$recursiveRef', () => {
  const tree = (recursive: boolean) => ({
    $id: 'http://e.com/tree',
    $recursiveAnchor: recursive,
    type: 'object',
    properties: { data: true, children: { type: 'array', items: { $recursiveRef: '#' } } },
  })
  const strictTree = (recursive: boolean) => ({
    $id: 'http://e.com/strict',
    $recursiveAnchor: true,
    $ref: 'tree',
    unevaluatedProperties: false,
    $defs: { tree: tree(recursive) },
  })
  const misspelt = { children: [{ daat: 1 }] }
  matchesAsListed(
    [
      [tree(true), [misspelt], [{ children: [1] }]],
      [strictTree(true), [{ children: [{ data: 1 }] }], [misspelt]],
      [strictTree(false), [misspelt], [{ children: [1] }]],
      [
        { properties: { a: { $recursiveRef: '#' } }, additionalProperties: false },
        [{ a: {} }],
        [{ a: { b: 1 } }],
      ],
    ],
    2019,
  )
})
