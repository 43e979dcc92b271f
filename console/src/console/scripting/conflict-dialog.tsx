/** Shows what another person has changed in a draft since it was read here, before anything is overwritten. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatMoment } from '../../format/dates.ts'
import type { DraftConflict } from '../../parts/draft/use-draft.ts'
import { differences } from '../../parts/resource/differences.ts'
import { LazyScriptDifference } from '../../parts/script/lazy.tsx'
import { dialogTexts } from '../../texts/dialogs.ts'
import { scriptingTexts as texts } from '../../texts/scripts/scripting.ts'
import { ChangedMembers } from './changed-members.tsx'

type Edited = { readonly draftChangedBy: string; readonly draftChangedAt: string }

type Props<Saved extends Edited, Draft extends { readonly script: string }> = {
  readonly conflict: DraftConflict<Saved> | undefined
  readonly draftOf: (saved: Saved) => Draft
  readonly onChoose: (choice: 'theirs' | 'mine' | 'later') => Promise<void>
}

export function ConflictDialog<Saved extends Edited, Draft extends { readonly script: string }>({
  conflict,
  draftOf,
  onChoose,
}: Props<Saved, Draft>): ReactNode {
  return (
    <Modal
      opened={conflict !== undefined}
      onClose={() => void onChoose('later')}
      title={texts.conflictTitle}
      size="70rem"
      closeButtonProps={{ 'aria-label': dialogTexts.close }}
    >
      {conflict !== undefined && (
        <Stack gap="md">
          <Text>
            {texts.conflictText(
              conflict.theirs.data.draftChangedBy,
              formatMoment(conflict.theirs.data.draftChangedAt),
            )}
          </Text>
          <Difference before={draftOf(conflict.base)} after={draftOf(conflict.theirs.data)} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => void onChoose('later')}>
              {texts.later}
            </Button>
            <Button variant="default" onClick={() => void onChoose('theirs')}>
              {texts.takeTheirs}
            </Button>
            <Button color="red.9" onClick={() => void onChoose('mine')}>
              {texts.keepMine}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

type DifferenceProps = {
  readonly before: { readonly script: string }
  readonly after: { readonly script: string }
}

function Difference({ before, after }: DifferenceProps): ReactNode {
  const members = differences(before, after, ['script'])
  return (
    <Stack gap="sm">
      <LazyScriptDifference before={before.script} after={after.script} />
      {members.length > 0 && <ChangedMembers label={texts.conflictMembers} changes={members} />}
    </Stack>
  )
}
