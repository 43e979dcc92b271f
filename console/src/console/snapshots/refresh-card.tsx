/** The refresh that runs, as it goes, or how the latest one ended; and the button that starts one. */
import { Button, Progress, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { formatBytes, formatCount, formatDuration } from '../../format/numbers.ts'
import { Section } from '../../parts/section.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { Age } from '../../parts/time.tsx'
import { refreshTexts as texts } from '../../texts/snapshots.ts'
import { HoldButton } from '../holds/hold-button.tsx'
import { useSession } from '../session/session.tsx'
import { OutcomeTone } from './outcome-tone.tsx'
import classes from './refresh-card.module.css'
import { shareDone } from './refresh-events.ts'
import type { Refresh } from './refresh-queries.ts'
import { StartDialog } from './start-dialog.tsx'
import type { FollowedRefresh } from './use-refresh-stream.ts'

export function RefreshCard({ state, trouble, retry }: FollowedRefresh): ReactNode {
  const { may } = useSession()
  const [isAsked, setAsked] = useState(false)
  const isRunning = state !== undefined && state.current !== null
  return (
    <Section
      title={texts.latest}
      actions={
        <>
          <HoldButton subject="refreshes" />
          {may('startRefresh') && (
            <Button
              size="xs"
              leftSection={<IconRefresh size={16} aria-hidden />}
              disabled={isRunning}
              onClick={() => setAsked(true)}
            >
              {texts.now}
            </Button>
          )}
        </>
      }
    >
      <div className={classes.content}>
        {trouble?.isRefused === true && (
          <ErrorState title={texts.refused} error={trouble.problem} onRetry={retry} />
        )}
        {trouble?.isRefused === false && (
          <Text c="var(--tone-warning)" role="status">
            {texts.reconnecting(trouble.problem.message)}
          </Text>
        )}
        {state?.current && <RunningRefresh refresh={state.current} />}
        {state?.current === null &&
          (state.last === null ? (
            <Text c="var(--text-dim)">{texts.none}</Text>
          ) : (
            <EndedRefresh refresh={state.last} />
          ))}
      </div>
      {isAsked && <StartDialog onClose={() => setAsked(false)} />}
    </Section>
  )
}

const stages = ['read', 'validate', 'build', 'publish'] as const

function RunningRefresh({ refresh }: { readonly refresh: Refresh }): ReactNode {
  const { progress, requestedBy, startedAt } = refresh
  const share = shareDone(refresh)
  const timeOf = new Map(refresh.stages.map(({ stage, milliseconds }) => [stage, milliseconds]))
  const running = progress?.stage
  return (
    <Stack gap="xs">
      <Text role="status">
        {texts.running}
        {running !== undefined && `: ${texts.stages[running]}`}
      </Text>
      <ol className={classes.stages}>
        {stages.map((stage) => {
          const state = stage === running ? 'running' : timeOf.has(stage) ? 'done' : 'waiting'
          const milliseconds = timeOf.get(stage)
          return (
            <li key={stage} data-state={state}>
              {texts.stages[stage]}{' '}
              <span className={classes.time}>
                {milliseconds === undefined ? texts.stageState[state] : formatDuration(milliseconds)}
              </span>
            </li>
          )
        })}
      </ol>
      <Progress
        value={100 * (share ?? 0)}
        aria-label={texts.running}
        size="sm"
        striped={share === undefined}
        animated={share === undefined}
      />
      <Text size="sm" c="var(--text-dim)">
        {[progress?.table, ...amountsOf(progress)].filter(Boolean).join(' · ')}
      </Text>
      <Text size="sm" c="var(--text-dim)">
        {texts.by} {requestedBy}, <Age value={startedAt} />
      </Text>
    </Stack>
  )
}

function amountsOf(progress: Refresh['progress']): readonly string[] {
  return (['tables', 'rows', 'bytes'] as const).flatMap((name) => {
    const amount = progress?.[name]
    if (!amount) return []
    const format = name === 'bytes' ? formatBytes : formatCount
    const unit = texts.amounts[name]
    return amount.expected === null
      ? texts.soFar(format(amount.done), unit)
      : texts.ofExpected(format(amount.done), format(amount.expected), unit)
  })
}

function EndedRefresh({ refresh }: { readonly refresh: Refresh }): ReactNode {
  const { may } = useSession()
  const { id, outcome, endedAt, milliseconds, reasons, requestedBy } = refresh
  return (
    <Stack gap={4} align="flex-start">
      <Text role="status" component="div" className={classes.ended}>
        <OutcomeTone outcome={outcome} />
        <Age value={endedAt} />
        {milliseconds !== null && <span>{formatDuration(milliseconds)}</span>}
        <span className={classes.time}>
          {texts.by} {requestedBy}
        </span>
      </Text>
      {reasons.map(({ code, message, hint }) => (
        <div key={`${code} ${message}`}>
          <Text c="var(--tone-bad)">
            {message} ({code})
          </Text>
          {hint !== null && <Text size="sm">{hint}</Text>}
        </div>
      ))}
      {may('getRefreshRecord') && (
        <Text>
          <TextLink to={`/snapshots/refreshes/${id}`}>{texts.showDetails}</TextLink>
        </Text>
      )}
    </Stack>
  )
}
