/** Rejected rows by table and rule, each with examples and a link to all of them. */
import { Anchor, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/numbers.ts'
import { refreshTexts as texts } from '../../texts/snapshots.ts'
import { useSession } from '../session/session.tsx'
import type { RejectGroup } from './refresh-queries.ts'
import classes from './reject-groups.module.css'

type Props = {
  readonly groups: readonly RejectGroup[]
  /** The id of the list with all rows; null where there is none. */
  readonly rejectsOf: string | null
}

export function RejectGroups({ groups, rejectsOf }: Props): ReactNode {
  const { may } = useSession()
  if (groups.length === 0) return <Text c="var(--text-dim)">{texts.noRejects}</Text>
  const listed = may('listRejects') ? rejectsOf : null
  return (
    <div className={classes.scroll}>
      <Table fz="sm" verticalSpacing={4} aria-label={texts.rejectsByRule}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.table}</Table.Th>
            <Table.Th>{texts.rule}</Table.Th>
            <Table.Th>{texts.field}</Table.Th>
            <Table.Th ta="right">{texts.count}</Table.Th>
            <Table.Th>{texts.examples}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <Table.Tr key={`${group.table} ${group.rule} ${group.field}`}>
              <Table.Td>{group.table}</Table.Td>
              <Table.Td>
                <Rule group={group} listed={listed} />
              </Table.Td>
              <Table.Td>{group.field ?? '–'}</Table.Td>
              <Table.Td ta="right">{formatCount(group.count)}</Table.Td>
              <Table.Td>
                <ul className={classes.examples}>
                  {group.examples.map(({ file, row, message }) => (
                    <li key={`${file} ${row} ${message}`}>
                      {texts.place(file, row)}: {message}
                    </li>
                  ))}
                </ul>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

type RuleProps = { readonly group: RejectGroup; readonly listed: string | null }

function Rule({ group: { table, rule }, listed }: RuleProps): ReactNode {
  if (listed === null) return rule
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link {...props} to={`/snapshots/${listed}/rejects`} search={{ table, rule }} />}
    >
      {rule}
    </Anchor>
  )
}
