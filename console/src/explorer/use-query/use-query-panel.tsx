/** The query of the list as code to paste. */
import { Code, Stack, Tabs, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { serviceAddress } from '../../api/service-address.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { useQueryTexts as texts } from '../../texts/use-query.ts'
import { queryParameters } from '../query/list-query.ts'
import type { ToolProps } from '../query/toolbar.ts'
import { type SnippetLanguage, snippet, snippetLanguages } from './snippets.ts'

export default function UseQueryPanel({ query }: ToolProps): ReactNode {
  const [language, setLanguage] = useState<SnippetLanguage>('url')
  const text = snippet(language, {
    service: serviceAddress(),
    list: query.list,
    parameters: { ...queryParameters(query) },
  })
  return (
    <Stack gap="sm">
      <Text>{texts.hint}</Text>
      <Tabs
        value={language}
        onChange={(chosen) => setLanguage(chosen as SnippetLanguage)}
        keepMounted={false}
      >
        <Tabs.List>
          {snippetLanguages.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {texts.languages[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={language} pt="sm">
          <Stack gap="sm">
            <Text size="sm">{texts.needs[language]}</Text>
            <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {text}
            </Code>
            <div>
              <CopyButton text={text} label={texts.copy} size="sm" />
            </div>
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
