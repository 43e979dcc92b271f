import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Problem, type ProblemDetail } from '../../kernel/problem.ts'
import { checkDraft } from './drafts.ts'

it('a draft with too many items is refused before one of them is looked at', async () => {
  const lists = Array<never>(4)
  Object.defineProperty(lists, 0, { get: () => assert.fail('It was compared with the others') })
  let told: readonly ProblemDetail[] = []
  const checked = checkDraft('WebhookDraft', { url: 'https://example.com/', lists }, (details) => {
    told = details
    return new Problem('DIR650', 'refused')
  })
  await assert.rejects(checked, { code: 'DIR650' })
  assert.deepEqual(told, [{ path: '/lists', message: 'must not have more than 3 items' }])
})
