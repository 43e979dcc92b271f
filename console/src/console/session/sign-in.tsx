/** Signs in at the identity provider of the service, or by pasting a token, as the service offers. */
import { Button, Code, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { createApi, dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { serviceAddress } from '../../api/service-address.ts'
import classes from '../../app/sign-in.module.css'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { consoleTexts as texts } from '../../texts/console.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { forgetUnfinishedSignIn } from './redirect-answer.ts'
import { type EndReason, type OpenedSession, openSession, type TokenSource } from './session.tsx'
import { TokenForm } from './token-form.tsx'

type Props = {
  readonly endReason: EndReason | undefined
  /** The address by which the identity provider has sent the browser back. */
  readonly answer: string | undefined
  readonly onOpen: (opened: OpenedSession) => void
}

const anonymous = createApi({
  service: serviceAddress(),
  credential: () => undefined,
  onUnauthenticated: () => undefined,
})

export function SignIn({ endReason, answer, onOpen }: Props): ReactNode {
  const [failure, setFailure] = useState<string>()
  const [isTrying, setTrying] = useState(false)
  const [isBeside, setBeside] = useState(false)
  const [showsToken, setShowsToken] = useState(false)
  // What the page before was about stays there; in front of a page that waits, its own title stays.
  useDocumentTitle(endReason === 'expired' ? '' : texts.title)
  const method = useQuery({
    queryKey: ['sign-in'],
    queryFn: ({ signal }) => dataOf(anonymous.GET('/api/admin/v1/sign-in', { signal })),
  })
  const provider = method.data && providerIn(method.data)
  const attempt = async (work: () => Promise<void>) => {
    setTrying(true)
    setFailure(undefined)
    try {
      await work()
    } catch (cause) {
      setFailure(failureText(cause))
      setTrying(false)
    }
  }
  const open = async (source: TokenSource) => onOpen(withRights(await openSession(source)))
  const hasCompleted = useRef(false)
  // Once: while the browser leaves for the provider, what belongs to the sign-in must stay.
  useEffect(() => {
    if (answer === undefined) forgetUnfinishedSignIn()
  }, [answer])
  useEffect(() => {
    if (answer === undefined || provider === undefined || hasCompleted.current) return
    // An answer is good once.
    hasCompleted.current = true
    void attempt(async () => {
      const { completeSignIn } = await import('./identity-provider.ts')
      const { source, page } = await completeSignIn(provider, answer)
      history.replaceState(null, '', page)
      await open(source)
    })
  })
  const leave = (to: IdentityProvider) =>
    attempt(async () => {
      const { leaveToSignIn } = await import('./identity-provider.ts')
      await leaveToSignIn(to)
    })
  /** The page behind stays as it is, with what was typed there. */
  const signInBeside = async (to: IdentityProvider) => {
    // At once: later, browsers take it for a window that nobody has asked for.
    const opened = window.open('', '_blank', 'popup,width=520,height=680')
    setFailure(opened === null ? texts.windowBlocked : undefined)
    setBeside(opened !== null)
    if (opened === null) return
    try {
      const provider = await import('./identity-provider.ts')
      await open(await provider.signInBeside(to, opened))
    } catch (cause) {
      setBeside(false)
      setFailure(failureText(cause))
    }
  }
  const onToken = (source: TokenSource) => void attempt(() => open(source))
  const offersToken = method.data?.acceptsTokens === true
  const isFormShown = offersToken && (provider === undefined || showsToken)
  return (
    <main className={classes.page}>
      <Paper withBorder p="xl" className={classes.card}>
        <Stack gap="md">
          <Title order={1} size="h3">
            {texts.title}
          </Title>
          {method.error !== null && (
            <ErrorState
              title={texts.methodFailed}
              error={method.error}
              onRetry={() => void method.refetch()}
            />
          )}
          {method.isPending && <LoadingState />}
          {method.data !== undefined && (
            <Text c="var(--text-dim)">
              {endReason === 'expired'
                ? texts.sessionEnded
                : provider !== undefined
                  ? texts.providerHint
                  : offersToken
                    ? tokenHint
                    : texts.noMethod}
            </Text>
          )}
          {failure !== undefined && !isFormShown && (
            <Text c="var(--tone-bad)" role="alert">
              {failure}
            </Text>
          )}
          {provider !== undefined && (
            <Button
              loading={isTrying && !showsToken}
              onClick={() => void (endReason === 'expired' ? signInBeside(provider) : leave(provider))}
            >
              {texts.signInAt(new URL(provider.authority).host)}
            </Button>
          )}
          {isBeside && (
            <Text c="var(--text-dim)" role="status">
              {texts.besideHint}
            </Text>
          )}
          {isFormShown && <TokenForm failure={failure} isTrying={isTrying} onToken={onToken} />}
          {offersToken && provider !== undefined && !showsToken && (
            <Button variant="subtle" color="gray" size="xs" onClick={() => setShowsToken(true)}>
              {texts.useToken}
            </Button>
          )}
        </Stack>
      </Paper>
    </main>
  )
}

const tokenHint = (
  <>
    {texts.signInHint} <Code>{texts.signInCommand}</Code>.
  </>
)

type Method = {
  readonly authority: string | null
  readonly clientId: string | null
  readonly scopes: readonly string[]
}

const providerIn = ({ authority, clientId, scopes }: Method): IdentityProvider | undefined =>
  authority === null || clientId === null ? undefined : { authority, clientId, scopes }

function failureText(cause: unknown): string {
  if (!(cause instanceof ApiProblem)) return cause instanceof Error ? cause.message : String(cause)
  return cause.status === 401 ? texts.tokenRefused : `${cause.message}.`
}

/** A token without rights opens nothing, and its holder is told why. */
function withRights(opened: OpenedSession): OpenedSession {
  const { name, roles, tokenRoles } = opened.me
  if (roles.length > 0) return opened
  opened.source.end('expired')
  throw new Error(texts.noRights(name, tokenRoles))
}
