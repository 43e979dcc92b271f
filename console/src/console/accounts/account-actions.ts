/** What can be done to an account: who may, when it makes sense, what is asked first, and what is sent. */
import type { Api } from '../../api/client.ts'
import { formatAge } from '../../format/dates.ts'
import { accountTexts as texts } from '../../texts/accounts.ts'
import type { Account } from './account-queries.ts'

export type AccountAction = {
  readonly id: 'rotate' | 'lock' | 'unlock' | 'disable' | 'enable' | 'issue-psk' | 'remove-psk'
  readonly right: string
  /** Whether it stands beside the title or in the menu. */
  readonly place: 'bar' | 'menu'
  readonly isOffered: (account: Account) => boolean
  readonly label: (account: Account) => string
  readonly title: (account: Account) => string
  readonly text: (account: Account) => string
  readonly isDangerous: boolean
  /** @returns the secret that is shown only now; undefined when there is none */
  readonly send: (api: Api, request: ActionRequest) => Promise<SentAction>
}

type ActionRequest = {
  readonly params: {
    readonly path: { readonly id: string }
    readonly header: { readonly 'if-match': string; readonly 'idempotency-key': string }
  }
}

type SentAction = {
  readonly data?: Secrets
  readonly error?: unknown
  readonly response: Response
}

/** Of an answer, as far as it has some. */
export type Secrets = { readonly apiKey?: string; readonly psk?: string } | undefined

const lastUse = ({ lastUsedAt }: Account): string =>
  lastUsedAt === null ? texts.never : formatAge(lastUsedAt)

export const accountActions: readonly AccountAction[] = [
  {
    id: 'rotate',
    right: 'rotateAccountKey',
    place: 'bar',
    isOffered: () => true,
    label: () => texts.rotate,
    title: ({ name }) => texts.rotateTitle(name),
    text: (account) => texts.rotateText(lastUse(account)),
    isDangerous: true,
    send: (api, request) => api.POST('/api/admin/v1/accounts/{id}/rotate', request),
  },
  {
    id: 'lock',
    right: 'lockAccount',
    place: 'bar',
    isOffered: ({ locked }) => !locked,
    label: () => texts.lock,
    title: ({ name }) => texts.lockTitle(name),
    text: () => texts.lockText,
    isDangerous: true,
    send: (api, request) => withoutSecret(api.POST('/api/admin/v1/accounts/{id}/lock', request)),
  },
  {
    id: 'unlock',
    right: 'unlockAccount',
    place: 'bar',
    isOffered: ({ locked }) => locked,
    label: () => texts.unlock,
    title: ({ name }) => texts.unlockTitle(name),
    text: () => texts.unlockText,
    isDangerous: false,
    send: (api, request) => withoutSecret(api.POST('/api/admin/v1/accounts/{id}/unlock', request)),
  },
  {
    id: 'disable',
    right: 'disableAccount',
    place: 'menu',
    isOffered: ({ active }) => active,
    label: () => texts.disable,
    title: ({ name }) => texts.disableTitle(name),
    text: () => texts.disableText,
    isDangerous: true,
    send: (api, request) => withoutSecret(api.POST('/api/admin/v1/accounts/{id}/disable', request)),
  },
  {
    id: 'enable',
    right: 'enableAccount',
    place: 'menu',
    isOffered: ({ active }) => !active,
    label: () => texts.enable,
    title: ({ name }) => texts.enableTitle(name),
    text: () => texts.enableText,
    isDangerous: false,
    send: (api, request) => withoutSecret(api.POST('/api/admin/v1/accounts/{id}/enable', request)),
  },
  {
    id: 'issue-psk',
    right: 'issueAccountPsk',
    place: 'menu',
    isOffered: () => true,
    label: ({ pskIssuedAt }) => (pskIssuedAt === null ? texts.issuePsk : texts.replacePsk),
    title: ({ pskIssuedAt }) => (pskIssuedAt === null ? texts.issuePsk : texts.replacePsk),
    text: () => texts.issuePskText,
    isDangerous: false,
    send: (api, request) => api.POST('/api/admin/v1/accounts/{id}/psk', request),
  },
  {
    id: 'remove-psk',
    right: 'removeAccountPsk',
    place: 'menu',
    isOffered: ({ pskIssuedAt }) => pskIssuedAt !== null,
    label: () => texts.removePsk,
    title: () => texts.removePsk,
    text: () => texts.removePskText,
    isDangerous: true,
    send: (api, request) => withoutSecret(api.DELETE('/api/admin/v1/accounts/{id}/psk', request)),
  },
]

const withoutSecret = async (call: Promise<Omit<SentAction, 'data'>>): Promise<SentAction> => {
  const { error, response } = await call
  return { error, response }
}
