import { webhookTexts as texts } from '../../texts/webhooks.ts'
import type { Delivery } from './webhook-queries.ts'

/** Why an attempt failed, which names its status; else the status alone. */
export const answerText = ({ status, error }: Delivery['attempts'][number]): string =>
  error ?? (status === null ? texts.noAnswer : String(status))
