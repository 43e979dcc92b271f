/** Copies a text, and says so in the button's own place. */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { appTexts } from '../texts/app.ts'

type Props = {
  readonly text: string
  readonly label?: string
  readonly size?: 'xs' | 'sm'
  readonly className?: string | undefined
}

const SHOWN_MS = 2000

export function CopyButton({ text, label = appTexts.copy, size = 'xs', className }: Props): ReactNode {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    try {
      // Browsers have a clipboard only where the page came by https or from the own machine.
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      notifications.show({ color: 'red', message: appTexts.copyFailed })
    }
  }
  return (
    <Button
      className={className}
      variant="default"
      size={size}
      onClick={copy}
      leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
    >
      <span aria-live="polite">{copied ? appTexts.copied : label}</span>
    </Button>
  )
}
