/** What can be done to a webhook: who may, when it makes sense, what is asked first, and what is sent. */
import type { Api } from '../../api/client.ts'
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import type { Webhook } from './webhook-queries.ts'

export type WebhookAction = {
  readonly id: 'test' | 'pause' | 'resume' | 'rotate'
  readonly right: string
  readonly isOffered: (webhook: Webhook) => boolean
  readonly label: string
  readonly title: string
  readonly text: (webhook: Webhook) => string
  /** @returns the new secret, which is shown only now, where there is one */
  readonly send: (api: Api, request: ActionRequest) => Promise<SentAction>
}

type ActionRequest = {
  readonly params: {
    readonly path: { readonly id: string }
    readonly header: { readonly 'if-match': string; readonly 'idempotency-key': string }
  }
}

type SentAction = {
  readonly data?: { readonly secret?: string }
  readonly error?: unknown
  readonly response: Response
}

const setActive =
  (isActive: boolean) =>
  (api: Api, { params: { path, header } }: ActionRequest): Promise<SentAction> =>
    api.PATCH('/api/admin/v1/webhooks/{id}', {
      params: { path, header: { 'if-match': header['if-match'] } },
      body: { isActive },
    }) as Promise<SentAction>

export const webhookActions: readonly WebhookAction[] = [
  {
    id: 'test',
    right: 'testWebhook',
    isOffered: () => true,
    label: texts.test,
    title: texts.testTitle,
    text: ({ url, isActive }) => `${texts.testText(url)}${isActive ? '' : ` ${texts.testWaits}`}`,
    send: (api, { params: { path, header } }) =>
      api.POST('/api/admin/v1/webhooks/{id}/test', {
        params: { path, header: { 'idempotency-key': header['idempotency-key'] } },
      }) as Promise<SentAction>,
  },
  {
    id: 'pause',
    right: 'changeWebhook',
    isOffered: ({ isActive }) => isActive,
    label: texts.pause,
    title: texts.pauseTitle,
    text: () => texts.pauseText,
    send: setActive(false),
  },
  {
    id: 'resume',
    right: 'changeWebhook',
    isOffered: ({ isActive }) => !isActive,
    label: texts.resume,
    title: texts.resumeTitle,
    text: () => texts.resumeText,
    send: setActive(true),
  },
  {
    id: 'rotate',
    right: 'rotateWebhookSecret',
    isOffered: () => true,
    label: texts.rotate,
    title: texts.rotateTitle,
    text: () => texts.rotateText,
    send: (api, request) => api.POST('/api/admin/v1/webhooks/{id}/rotate-secret', request),
  },
]
