/** The runs that wait and run now, as they do; each can be stopped. */
import { Button, Menu, Table, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { IconDots } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { answerOf } from '../../api/client.ts'
import type { StreamTrouble } from '../../api/event-stream.ts'
import { formatCount, formatDuration } from '../../format/numbers.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { EmptyState, ErrorState } from '../../parts/states.tsx'
import { Tone } from '../../parts/tone.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { executionTexts as texts } from '../../texts/executions.ts'
import { useSession } from '../session/session.tsx'
import { StatusTone } from './execution-columns.tsx'
import { EndpointFilter } from './execution-filters.tsx'
import classes from './executions.module.css'
import { type LiveRun, runsAt, type ShownRun } from './live-runs.ts'
import { numbered } from './numbered.ts'
import { useLiveRuns } from './use-live-runs.ts'

type Asked = { readonly run: LiveRun; readonly isAll: boolean }

export function LivePage(): ReactNode {
  const { api } = useSession()
  const [{ endpointId }, change] = useAddress()
  const { missed, isOpen, trouble, retry, runs } = useLiveRuns(endpointId)
  const [asked, setAsked] = useState<Asked>()
  const nowMs = useNow()
  const shownRuns = runsAt(runs, nowMs)
  const stop = async ({ run, isAll }: Asked) => {
    await answerOf(
      isAll
        ? api.POST('/api/admin/v1/endpoints/{id}/cancel-runs', { params: { path: { id: run.endpointId } } })
        : api.POST('/api/admin/v1/executions/live/{id}/cancel', { params: { path: { id: run.id } } }),
    )
  }
  return (
    <Page
      title={texts.liveTitle}
      note={
        <span role="status">
          <Connection isOpen={isOpen} trouble={trouble} />
        </span>
      }
      actions={
        <EndpointFilter
          isLabelled={false}
          value={endpointId}
          onChange={(chosen) => change({ endpointId: chosen })}
        />
      }
    >
      {trouble?.isRefused === true && (
        <ErrorState title={texts.liveRefused} error={trouble.problem} onRetry={retry} />
      )}
      {missed > 0 && <Text mb="sm">{texts.missed(formatCount(missed))}</Text>}
      {shownRuns.length === 0 && trouble === undefined && (
        <Panel>
          <EmptyState title={texts.liveEmptyTitle} hint={texts.liveEmptyHint} />
        </Panel>
      )}
      {shownRuns.length > 0 && (
        <Panel>
          <Table.ScrollContainer minWidth={620}>
            <Table fz="sm" verticalSpacing={6} aria-label={texts.liveTitle}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.endpoint}</Table.Th>
                  <Table.Th>{texts.state}</Table.Th>
                  <Table.Th ta="right">{texts.age}</Table.Th>
                  <Table.Th>{texts.caller}</Table.Th>
                  <Table.Th>{texts.type}</Table.Th>
                  <Table.Th>
                    <span className="visually-hidden">{texts.stop}</span>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {shownRuns.map((shown) => (
                  <Fragment key={shown.run.id}>
                    <Run
                      shown={shown}
                      nowMs={nowMs}
                      onStop={(isAll) => setAsked({ run: shown.run, isAll })}
                    />
                    {shown.log.length > 0 && (
                      <Table.Tr>
                        <Table.Td colSpan={6} className={classes.log}>
                          {numbered(shown.log.slice(-3)).map(({ number, message }) => (
                            <div key={number}>{message}</div>
                          ))}
                        </Table.Td>
                      </Table.Tr>
                    )}
                  </Fragment>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Panel>
      )}
      {asked !== undefined && (
        <ConfirmDialog
          isOpen
          title={
            asked.isAll ? texts.stopAllTitle(asked.run.endpointName) : texts.stopTitle(asked.run.endpointName)
          }
          action={asked.isAll ? texts.stopAll : texts.stop}
          isDangerous
          onConfirm={() => stop(asked)}
          onClose={() => setAsked(undefined)}
        >
          <Text>{asked.isAll ? texts.stopAllText : texts.stopText}</Text>
        </ConfirmDialog>
      )}
    </Page>
  )
}

type ConnectionProps = { readonly isOpen: boolean; readonly trouble: StreamTrouble | undefined }

function Connection({ isOpen, trouble }: ConnectionProps): ReactNode {
  if (trouble?.isRefused === true) return null
  if (trouble !== undefined) return <Tone tone="warning">{texts.reconnecting(trouble.problem.message)}</Tone>
  return isOpen ? <Tone tone="good">{texts.connected}</Tone> : <Tone tone="neutral">{texts.connecting}</Tone>
}

/** Ages grow while one looks. */
function useNow(): number {
  const [nowMs, setNow] = useState(Date.now)
  const { start, stop } = useInterval(() => setNow(Date.now()), 1000)
  useEffect(() => {
    start()
    return stop
  }, [start, stop])
  return nowMs
}

type RunProps = {
  readonly shown: ShownRun
  readonly nowMs: number
  readonly onStop: (isAll: boolean) => void
}

function Run({ shown: { run, ended }, nowMs, onStop }: RunProps): ReactNode {
  const { may } = useSession()
  const navigate = useNavigate()
  const untilMs = ended === undefined ? nowMs : Date.parse(ended.endedAt)
  return (
    <Table.Tr className={ended && classes.ended}>
      <Table.Td>{run.endpointName}</Table.Td>
      <Table.Td>
        {ended === undefined ? (
          <Tone tone={run.state === 'running' ? 'good' : 'neutral'}>{texts.states[run.state]}</Tone>
        ) : (
          <StatusTone status={ended.status} />
        )}
      </Table.Td>
      <Table.Td ta="right">{formatDuration(Math.max(0, untilMs - Date.parse(run.arrivedAt)))}</Table.Td>
      <Table.Td>{run.principalId ?? texts.anonymous}</Table.Td>
      <Table.Td>{texts.types[run.type]}</Table.Td>
      <Table.Td ta="right">
        {ended !== undefined && may('getExecution') && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => void navigate({ to: `/executions/${run.id}` })}
          >
            {texts.alertOpen}
          </Button>
        )}
        {ended === undefined && may('cancelExecution') && (
          <Button.Group style={{ justifyContent: 'flex-end' }}>
            <Button size="compact-xs" variant="default" c="var(--tone-bad)" onClick={() => onStop(false)}>
              {texts.stop}
              <span className="visually-hidden"> {run.endpointName}</span>
            </Button>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button size="compact-xs" variant="default" aria-label={texts.stopAll}>
                  <IconDots size={14} aria-hidden />
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item c="var(--tone-bad)" onClick={() => onStop(true)}>
                  {texts.stopAll}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Button.Group>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
