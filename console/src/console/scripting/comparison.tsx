/** Two versions, or a version and the draft, side by side in one text, with the other members that differ. */
import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { differences } from '../../parts/resource/differences.ts'
import { LazyScriptDifference } from '../../parts/script/lazy.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { scriptingTexts as texts } from '../../texts/scripts/scripting.ts'
import { ChangedMembers } from './changed-members.tsx'
import type { VersionRow } from './definition-types.ts'

type Edition = { readonly script: string }

type Props = {
  readonly from: string
  readonly to: string
  readonly versions: readonly VersionRow[]
  readonly onChange: (editions: { readonly from?: string; readonly to?: string }) => void
  /** Undefined while it loads. */
  readonly before: Edition | undefined
  readonly after: Edition | undefined
  readonly error: Error | null
}

export function Comparison({ from, to, versions, onChange, before, after, error }: Props): ReactNode {
  const editions = [
    { value: 'draft', label: texts.draft },
    ...versions.map(({ version }) => ({ value: String(version), label: texts.version(version) })),
  ]
  return (
    <Stack gap="sm" component="section" aria-label={texts.comparison}>
      <Title order={2} size="h4">
        {texts.comparison}
      </Title>
      <Group gap="sm">
        <NativeSelect
          size="xs"
          label={texts.from}
          data={editions}
          value={from}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
        />
        <NativeSelect
          size="xs"
          label={texts.to}
          data={editions}
          value={to}
          onChange={(event) => onChange({ to: event.currentTarget.value })}
        />
      </Group>
      {error !== null && <ErrorState title={texts.comparison} error={error} />}
      {error === null && (before === undefined || after === undefined) && <LoadingState />}
      {before !== undefined && after !== undefined && <Difference before={before} after={after} />}
    </Stack>
  )
}

function Difference({ before, after }: { readonly before: Edition; readonly after: Edition }): ReactNode {
  const members = differences(before, after, ['script'])
  return (
    <>
      <LazyScriptDifference before={before.script} after={after.script} />
      {members.length === 0 ? (
        <Text c="var(--text-dim)">{texts.noMembers}</Text>
      ) : (
        <ChangedMembers label={texts.otherMembers} changes={members} />
      )}
    </>
  )
}
