/** The process, its memory and disk, and its settings. */
import { Progress, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatBytes, formatCount, formatDuration } from '../../format/numbers.ts'
import { Fields } from '../../parts/fields.tsx'
import { Page } from '../../parts/page.tsx'
import { Columns, Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { Moment } from '../../parts/time.tsx'
import { systemTexts as texts } from '../../texts/system.ts'
import { HoldButton } from '../holds/hold-button.tsx'
import { useSession } from '../session/session.tsx'
import { SettingsTable } from './settings-table.tsx'
import { type System, systemQuery } from './system-query.ts'

export function SystemPage(): ReactNode {
  const { api } = useSession()
  const system = useQuery(systemQuery(api))
  const { data } = system
  return (
    <Page title={texts.title} actions={<HoldButton subject="outbound" />}>
      {system.error !== null && data === undefined && (
        <ErrorState title={texts.failed} error={system.error} onRetry={() => void system.refetch()} />
      )}
      {system.isPending && <LoadingState />}
      {data !== undefined && (
        <>
          <Columns>
            <Section title={texts.process}>
              <Fields fields={processFields(data)} />
              <Share label={texts.memory} used={data.memory.residentBytes} total={data.memory.limitBytes} />
            </Section>
            <Section title={texts.storage}>
              <Share
                label={texts.disk}
                used={data.storage.totalBytes - data.storage.freeBytes}
                total={data.storage.totalBytes}
              />
              <Fields fields={storageFields(data)} />
            </Section>
          </Columns>
          <SettingsTable settings={data.settings} />
        </>
      )}
    </Page>
  )
}

const processFields = ({ version, nodeVersion, startedAt, uptimeSeconds, snapshotId, threads }: System) =>
  [
    [texts.version, version],
    [texts.node, nodeVersion],
    [texts.started, <Moment key="started" value={startedAt} />],
    [texts.uptime, formatDuration(1000 * uptimeSeconds)],
    [
      texts.snapshot,
      snapshotId && (
        <TextLink key="snapshot" to={`/snapshots/${snapshotId}`}>
          {snapshotId}
        </TextLink>
      ),
    ],
    [texts.threads, texts.threadCounts(formatCount(threads.api), formatCount(threads.script))],
  ] as const

const storageFields = ({ storage: { snapshotBytes, controlBytes, historyBytes } }: System) =>
  [
    [texts.snapshots, formatBytes(snapshotBytes)],
    [texts.control, controlBytes === null ? texts.inDatabase : formatBytes(controlBytes)],
    [texts.history, historyBytes === null ? texts.inDatabase : formatBytes(historyBytes)],
  ] as const

type ShareProps = { readonly label: string; readonly used: number; readonly total: number }

const Share = ({ label, used, total }: ShareProps): ReactNode => (
  <>
    <Text size="sm" mt="xs" mb={4}>
      {label}: {texts.used(formatBytes(used), formatBytes(total))}
    </Text>
    <Progress value={total === 0 ? 0 : (100 * used) / total} aria-label={label} size="sm" mb="sm" />
  </>
)
