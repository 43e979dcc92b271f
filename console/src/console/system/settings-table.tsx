/** The settings as they are, with where each was set. They cannot be changed here. */
import { Code, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/numbers.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { Section } from '../../parts/section.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { systemTexts as texts } from '../../texts/system.ts'
import { matchingSettings, type Setting } from './matching-settings.ts'
import classes from './settings-table.module.css'

export function SettingsTable({ settings }: { readonly settings: readonly Setting[] }): ReactNode {
  const [{ text }, change] = useAddress()
  const shown = matchingSettings(settings, text ?? '')
  return (
    <Section
      title={texts.settings}
      actions={
        <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
      }
    >
      <Text size="sm" c="var(--text-dim)" mb="xs">
        {texts.settingsNote}{' '}
        <span role="status">{texts.found(formatCount(shown.length), formatCount(settings.length))}</span>
      </Text>
      {shown.length === 0 ? (
        <Text>{texts.noneFound}</Text>
      ) : (
        <div className={classes.scroll}>
          <Table fz="sm" verticalSpacing={4} aria-label={texts.settings}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.name}</Table.Th>
                <Table.Th>{texts.value}</Table.Th>
                <Table.Th>{texts.source}</Table.Th>
                <Table.Th className={classes.variable}>{texts.variable}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map(({ name, value, source, variable }) => (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td className={classes.value}>{value === '' ? '–' : value}</Table.Td>
                  <Table.Td fw={source === 'default' ? 400 : 600}>{texts.sources[source]}</Table.Td>
                  <Table.Td className={classes.variable}>
                    <Code>{variable}</Code>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Section>
  )
}
