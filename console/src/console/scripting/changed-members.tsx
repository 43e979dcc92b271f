/** Members before and after, as a table. */
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Difference } from '../../parts/resource/differences.ts'
import { scriptingTexts as texts } from '../../texts/scripts/scripting.ts'
import classes from './scripting.module.css'

type Props = { readonly label: string; readonly changes: readonly Difference[] }

export const ChangedMembers = ({ label, changes }: Props): ReactNode => (
  <div className={classes.scroll}>
    <Table aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.member}</Table.Th>
          <Table.Th>{texts.before}</Table.Th>
          <Table.Th>{texts.after}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ member, before, after }) => (
          <Table.Tr key={member}>
            <Table.Td>{member}</Table.Td>
            <Table.Td className={classes.value}>{before}</Table.Td>
            <Table.Td className={classes.value}>{after}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </div>
)
