/**
 * Shows a secret that nobody can show again. Only its own button closes it: Back stays on the page, and the browser asks before
 * a reload, so that a slip does not lose the secret.
 */
import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { dialogTexts as texts } from '../texts/dialogs.ts'
import { CopyButton } from './copy-button.tsx'

type Props = {
  /** Undefined when there is nothing to show. */
  readonly secret: string | undefined
  readonly title: string
  readonly copyLabel: string
  readonly children?: ReactNode
  readonly onClose: () => void
}

export function SecretOnce({ secret, title, copyLabel, children, onClose }: Props): ReactNode {
  const isShown = secret !== undefined
  const isSaved = useRef(false)
  if (!isShown) isSaved.current = false
  useBlocker({
    shouldBlockFn: () => !isSaved.current,
    enableBeforeUnload: () => !isSaved.current,
    disabled: !isShown,
  })
  const close = () => {
    // The caller may go to another page at once.
    isSaved.current = true
    onClose()
  }
  return (
    <Modal
      opened={isShown}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        {children}
        <Text>{texts.shownOnce}</Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <Group justify="space-between">
          <CopyButton text={secret ?? ''} label={copyLabel} size="sm" />
          <Button onClick={close}>{texts.hasSaved}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
