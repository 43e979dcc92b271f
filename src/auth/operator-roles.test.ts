import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mayDo, operatorRolesOf, type RequiredRole } from './operator-roles.ts'

describe('what an operation asks for', () => {
  const required: readonly RequiredRole[] = [
    'anyone',
    'signed-in',
    'viewer',
    'support or author',
    'support',
    'author',
    'admin',
  ]
  for (const [role, allowed] of [
    [null, 'anyone, signed-in'],
    ['viewer', 'anyone, signed-in, viewer'],
    ['support', 'anyone, signed-in, viewer, support or author, support'],
    ['author', 'anyone, signed-in, viewer, support or author, author'],
    ['admin', required.join(', ')],
  ] as const) {
    it(`lets ${role ?? 'a token without a role'} do what is for ${allowed}`, () => {
      const roles = role === null ? [] : [role]
      assert.equal(required.filter((each) => mayDo(roles, each)).join(', '), allowed)
    })
  }
})

describe('the roles of a token', () => {
  it('are those of the same names, in letter case too, where nothing maps them', () => {
    const read = operatorRolesOf(null)
    assert.deepEqual(read(['support', 'reports', 'viewer', 'Admin', 'support']), ['viewer', 'support'])
  })

  it('are only those that the mapping gives, and admin', () => {
    const read = operatorRolesOf(new Map([['travel-desk', 'support']]))
    assert.deepEqual(read(['author', 'viewer', 'support']), [])
    assert.deepEqual(read(['travel-desk']), ['support'])
    assert.deepEqual(read(['admin']), ['admin'])
  })
})
