/** An identifier as it stands in programs and logs, with a button that copies it. */
import { ActionIcon, Code, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { appTexts } from '../texts/app.ts'
import classes from './identifier.module.css'

type Props = {
  readonly value: string
  /** Which one it is, such as `Request id`. */
  readonly name: string
}

export const Identifier = ({ value, name }: Props): ReactNode => (
  <span className={classes.identifier}>
    <Code>{value}</Code>
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? appTexts.copied : appTexts.copy}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="1.5rem"
            aria-label={`${appTexts.copy}: ${name}`}
            onClick={copy}
          >
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  </span>
)
