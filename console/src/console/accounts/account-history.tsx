/** Who changed an account, when and how. */
import { Box, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { differences } from '../../parts/resource/differences.ts'
import { Section } from '../../parts/section.tsx'
import { Moment } from '../../parts/time.tsx'
import { accountTexts as texts } from '../../texts/accounts.ts'
import classes from './account-history.module.css'
import type { AccountWithHistory } from './account-queries.ts'

type Change = AccountWithHistory['history'][number]

export const AccountHistory = ({ history }: { readonly history: readonly Change[] }): ReactNode => (
  <Section title={texts.history}>
    <Box className={classes.scroll} tabIndex={0} role="group" aria-label={texts.history}>
      <Table fz="sm" verticalSpacing={4} aria-label={texts.history}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.when}</Table.Th>
            <Table.Th>{texts.who}</Table.Th>
            <Table.Th>{texts.what}</Table.Th>
            <Table.Th>{texts.change}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {history.toReversed().map((change) => (
            <Table.Tr key={`${change.at} ${change.action}`} className={classes.change}>
              <Table.Td>
                <Moment value={change.at} />
              </Table.Td>
              <Table.Td>{change.actor}</Table.Td>
              <Table.Td>{change.action}</Table.Td>
              <Table.Td>{changeText(change)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  </Section>
)

function changeText({ before, after }: Change): string {
  if (!isObject(after)) return ''
  return differences(isObject(before) ? before : {}, after)
    .map((one) =>
      isObject(before) ? `${one.member}: ${one.before} → ${one.after}` : `${one.member}: ${one.after}`,
    )
    .join(', ')
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
