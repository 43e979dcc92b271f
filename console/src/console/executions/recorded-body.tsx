/** A recorded body: JSON is indented, everything else is shown as it is, and never more than a browser can take. */
import { Text, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { executionTexts as texts } from '../../texts/executions.ts'
import classes from './executions.module.css'
import { readable } from './readable-body.ts'

type Props = { readonly body: string | null; readonly isTruncated: boolean; readonly label: string }

export function RecordedBody({ body, isTruncated, label }: Props): ReactNode {
  if (body === null || body === '') return <Text c="var(--text-dim)">{texts.noBody}</Text>
  return (
    <>
      <Textarea
        readOnly
        autosize
        maxRows={24}
        aria-label={label}
        classNames={{ input: classes.body ?? '' }}
        value={readable(body)}
      />
      {isTruncated && <Text size="sm">{texts.truncated}</Text>}
      <div style={{ marginTop: '0.5rem' }}>
        <CopyButton text={body} />
      </div>
    </>
  )
}
