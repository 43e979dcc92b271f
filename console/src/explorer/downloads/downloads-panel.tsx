/** Downloads all records of the list in a format of choice. */
import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isAbort } from '../../api/client.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { formatBytes } from '../../format/numbers.ts'
import { ErrorState } from '../../parts/states.tsx'
import { downloadTexts as texts } from '../../texts/downloads.ts'
import { queryParameters } from '../query/list-query.ts'
import type { ToolProps } from '../query/toolbar.ts'
import { useSession } from '../session/session.tsx'
import { addressOf } from '../use-query/snippets.ts'
import { type Downloaded, download } from './download.ts'
import { type FileFormat, fileFormats, fileName } from './file-name.ts'

type State =
  | { readonly kind: 'idle' | 'cancelled' }
  | { readonly kind: 'running'; readonly bytes: number }
  | { readonly kind: 'done'; readonly file: Downloaded }
  | { readonly kind: 'failed'; readonly cause: unknown }

export default function DownloadsPanel({ query }: ToolProps): ReactNode {
  const { clientNumber, credential } = useSession()
  const [format, setFormat] = useState<FileFormat>('csv')
  const [columns, setColumns] = useState<keyof typeof texts.columnChoices>('view')
  const [state, setState] = useState<State>({ kind: 'idle' })
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async () => {
    const leaving = new AbortController()
    running.current = leaving
    setState({ kind: 'running', bytes: 0 })
    const { $select, ...others } = queryParameters(query)
    const parameters = { ...others, ...(columns === 'view' && { $select }), $format: format }
    const nameOf = (snapshot: string | null) => fileName(clientNumber, query.list, snapshot, format)
    try {
      const file = await download({
        path: addressOf({ service: serviceAddress(), list: query.list, parameters }),
        credential,
        nameOf: (headers) => nameOf(headers.get('snapshot-id')),
        suggestedName: nameOf(null),
        signal: leaving.signal,
        onProgress: (bytes) => setState({ kind: 'running', bytes }),
      })
      setState({ kind: 'done', file })
    } catch (cause) {
      setState(isAbort(cause) ? { kind: 'cancelled' } : { kind: 'failed', cause })
    }
  }
  return (
    <Stack gap="md">
      <Text>{texts.hint}</Text>
      <Radio.Group label={texts.format} value={format} onChange={(chosen) => setFormat(chosen as FileFormat)}>
        <Stack gap={6} mt={4}>
          {fileFormats.map((name) => (
            <Radio key={name} value={name} label={texts.formats[name]} />
          ))}
        </Stack>
      </Radio.Group>
      <Radio.Group
        label={texts.columns}
        value={columns}
        onChange={(chosen) => setColumns(chosen as keyof typeof texts.columnChoices)}
      >
        <Stack gap={6} mt={4}>
          {Object.entries(texts.columnChoices).map(([name, label]) => (
            <Radio key={name} value={name} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      <Group>
        <Button onClick={() => void start()} loading={state.kind === 'running'}>
          {texts.start}
        </Button>
        {state.kind === 'running' && (
          <Button variant="default" onClick={() => running.current?.abort()}>
            {texts.cancel}
          </Button>
        )}
      </Group>
      <div role="status">
        {state.kind === 'running' && <Text>{texts.progress(formatBytes(state.bytes))}</Text>}
        {state.kind === 'done' && <Text>{texts.done(state.file.name, formatBytes(state.file.bytes))}</Text>}
        {state.kind === 'cancelled' && <Text>{texts.cancelled}</Text>}
      </div>
      {state.kind === 'failed' && <ErrorState title={texts.failed} error={state.cause} />}
    </Stack>
  )
}
