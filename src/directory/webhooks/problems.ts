/** Refusals of webhooks that cannot be registered or changed (DIR65x). */
import { DetailedProblem, Problem, type ProblemDetail } from '../../kernel/problem.ts'

export const badWebhookDraft = (details: readonly ProblemDetail[]) =>
  new DetailedProblem('DIR650', 'The webhook cannot be saved as it is', details)

export const webhookWithoutUrl = () =>
  new DetailedProblem('DIR650', 'The webhook cannot be saved as it is', [
    { path: '/url', message: 'is required for a new webhook' },
  ])

export const tooManyWebhooks = (most: number) =>
  new Problem('DIR651', `An account has at most ${most} webhooks`, { hint: 'Remove one that is not needed.' })

export const webhookSecretCannotBeOpened = (id: string) =>
  new Problem(
    'DIR652',
    `The signing secret of the webhook ${id} cannot be opened with the key of this service`,
    {
      hint: 'Start the service with the key that it had, or rotate the secret of the webhook.',
    },
  )

export const webhookUnknown = (id: string) =>
  new Problem('DIR653', `There is no webhook or delivery '${id.slice(0, 80)}'`, {
    hint: 'Give the id, or at least its first four characters: `tripfolio webhook list` shows the webhooks, `tripfolio webhook deliveries` those of one.',
  })

export const tooManyTests = (most: number) =>
  new Problem('DIR658', `${most} tests of this webhook wait to be sent already`, {
    hint: 'Send another one when they were sent. A webhook that is paused has to be resumed first.',
  })
