/** Asks before something that cannot be undone: the name of the thing has to be typed. */
import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { dialogTexts as texts } from '../texts/dialogs.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

type Props = {
  readonly isOpen: boolean
  readonly title: string
  /** What will be gone. */
  readonly children: ReactNode
  /** What has to be typed. */
  readonly name: string
  readonly action: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

export function TypedConfirmDialog({ name, children, onClose, ...dialog }: Props): ReactNode {
  const [typed, setTyped] = useState('')
  const close = () => {
    setTyped('')
    onClose()
  }
  return (
    <ConfirmDialog {...dialog} isDangerous isReady={typed.trim() === name.trim()} onClose={close}>
      {children}
      <TextInput
        label={texts.typeToConfirm(name)}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
      />
    </ConfirmDialog>
  )
}
