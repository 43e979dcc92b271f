/** What was added, changed and removed since a day or a token, and the token of now. */
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { formatMoment } from '../../format/dates.ts'
import { Page } from '../../parts/page.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { changesTexts as texts } from '../../texts/changes.ts'
import { recordTexts } from '../../texts/records.ts'
import { type ListName, listNames } from '../fields/list-fields.ts'
import { useSession } from '../session/session.tsx'
import { ChangesResult } from './changes-result.tsx'
import type { Change, Changes } from './count-kinds.ts'
import { beginningOf, dayBefore, offeredDays, oldestIn } from './since-moment.ts'

/** What the question begins with; an empty token stands for everything. */
type Since =
  | { readonly kind: 'token'; readonly value: string }
  /** RFC 3339. */
  | { readonly kind: 'moment'; readonly value: string }

type State = { readonly since?: Since; readonly changes?: Changes; readonly failure?: unknown }

export function ChangesPage(): ReactNode {
  const { api } = useSession()
  const [list, setList] = useState<ListName>('bookings')
  const [way, setWay] = useState<keyof typeof texts.ways>('day')
  const [day, setDay] = useState(() => dayBefore(1))
  const [token, setToken] = useState('')
  const [state, setState] = useState<State>({})
  const [isBusy, setBusy] = useState(false)
  const asking = useRef<AbortController>(null)
  useEffect(() => () => asking.current?.abort(), [])
  /** An answer that is still to come is of another question. */
  const forget = () => {
    asking.current?.abort()
    setBusy(false)
    setState({})
  }
  const ask = async (since: Since) => {
    forget()
    const leaving = new AbortController()
    asking.current = leaving
    const { signal } = leaving
    setBusy(true)
    try {
      const query = since.value === '' ? { $top: 1 } : { since: since.value }
      const data = await dataOf<unknown>(
        api.GET(`/api/v2/${list}/changes`, { params: { query }, signal }) as never,
      )
      const { _meta, [list]: records = [] } = data as {
        readonly _meta: { readonly total: number; readonly token: string }
      } & Partial<Record<ListName, readonly Change[]>>
      setState({ since, changes: { records, total: _meta.total, token: _meta.token } })
    } catch (failure) {
      if (!signal.aborted) setState({ since, failure })
    } finally {
      if (!signal.aborted) setBusy(false)
    }
  }
  const askSinceDay = (chosen: string) => {
    const value = beginningOf(chosen)
    if (value !== null) void ask({ kind: 'moment', value })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (way === 'day') askSinceDay(day)
    else void ask({ kind: 'token', value: token.trim() })
  }
  const { since, changes, failure } = state
  return (
    <Page title={texts.title}>
      <Text mb="md" maw="44rem">
        {texts.hint}
      </Text>
      <form onSubmit={submit}>
        <Stack gap="sm" align="flex-start" mb="md">
          <SegmentedControl
            aria-label={texts.list}
            data={listNames.map((name) => ({ value: name, label: recordTexts.lists[name] }))}
            value={list}
            onChange={(name) => {
              forget()
              setList(name as ListName)
            }}
          />
          <SegmentedControl
            aria-label={texts.way}
            data={Object.entries(texts.ways).map(([value, label]) => ({ value, label }))}
            value={way}
            onChange={(name) => {
              forget()
              setWay(name as typeof way)
            }}
          />
          {way === 'day' ? (
            <>
              <TextInput
                type="date"
                label={texts.day}
                description={texts.dayHint}
                value={day}
                max={dayBefore(0)}
                required
                withAsterisk={false}
                onChange={(event) => setDay(event.currentTarget.value)}
              />
              <Group gap="xs">
                {offeredDays.map((days) => (
                  <Button
                    key={days}
                    variant="default"
                    size="xs"
                    onClick={() => {
                      setDay(dayBefore(days))
                      askSinceDay(dayBefore(days))
                    }}
                  >
                    {texts.daysAgo(days)}
                  </Button>
                ))}
              </Group>
            </>
          ) : (
            <TextInput
              label={texts.token}
              description={texts.tokenHint}
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              spellCheck={false}
              autoComplete="off"
              w="36rem"
              maw="100%"
            />
          )}
          <Button type="submit" loading={isBusy}>
            {texts.show}
          </Button>
        </Stack>
      </form>
      {failure !== undefined && since !== undefined && (
        <ChangesFailure
          failure={failure}
          since={since}
          onAsk={(value) => void ask({ kind: 'moment', value })}
        />
      )}
      {changes !== undefined && (
        <ChangesResult
          list={list}
          changes={changes}
          isFirst={since?.value === ''}
          moment={since?.kind === 'moment' ? since.value : undefined}
        />
      )}
    </Page>
  )
}

type FailureProps = {
  readonly failure: unknown
  readonly since: Since
  readonly onAsk: (moment: string) => void
}

/** A moment that is too old is refused with the oldest one that can be asked. */
function ChangesFailure({ failure, since, onAsk }: FailureProps): ReactNode {
  if (!(failure instanceof ApiProblem) || failure.status !== 410)
    return <ErrorState title={texts.failed} error={failure} />
  if (since.kind === 'token') return <ErrorState title={texts.failed} error={new Error(texts.gone)} />
  const oldest = oldestIn(failure.message)
  if (oldest === undefined) return <ErrorState title={texts.failed} error={new Error(texts.noPast)} />
  return (
    <ErrorState
      title={texts.failed}
      error={new Error(texts.tooOld(formatMoment(since.value), formatMoment(oldest)))}
      onRetry={() => onAsk(oldest)}
      retryLabel={texts.askOldest}
    />
  )
}
