/** Why something was refused, within the dialog that asked for it. */
import { Button, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { dialogTexts as texts } from '../../texts/dialogs.ts'
import { ChangedMeanwhile } from './use-resource.ts'

type Props = {
  readonly failure: unknown /** After the object was loaded again. */
  readonly onLoaded: () => void
}

export function FailureNote({ failure, onLoaded }: Props): ReactNode {
  if (failure instanceof ChangedMeanwhile) return <ChangedNote changed={failure} onLoaded={onLoaded} />
  const details = failure instanceof ApiProblem ? failure.details : []
  return (
    <Stack gap={4} role="alert" c="var(--tone-bad)">
      <Text>{failure instanceof Error ? failure.message : String(failure)}</Text>
      {details.map(({ path, message }) => (
        <Text key={`${path} ${message}`} size="sm">
          {typeof path === 'string' ? `${path.replace(/^\//, '')} ${message}` : message}
        </Text>
      ))}
    </Stack>
  )
}

type ChangedProps = { readonly changed: ChangedMeanwhile; readonly onLoaded: () => void }

function ChangedNote({ changed, onLoaded }: ChangedProps): ReactNode {
  const load = () => {
    changed.show()
    onLoaded()
  }
  return (
    <Stack gap="xs" role="alert" align="flex-start">
      <Text c="var(--tone-bad)">{texts.changedMeanwhile}</Text>
      {changed.changes.length > 0 && (
        <Table fz="sm" verticalSpacing={3}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.member}</Table.Th>
              <Table.Th>{texts.before}</Table.Th>
              <Table.Th>{texts.now}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changed.changes.map(({ member, before, after }) => (
              <Table.Tr key={member}>
                <Table.Td>{member}</Table.Td>
                <Table.Td>{before}</Table.Td>
                <Table.Td>{after}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Button variant="default" size="xs" onClick={load}>
        {texts.loadAgain}
      </Button>
    </Stack>
  )
}
