/** Asks before something happens that others notice, and shows why it was refused. Enter in a field sends it. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { dialogTexts as texts } from '../texts/dialogs.ts'
import classes from './confirm-dialog.module.css'
import { FailureNote } from './resource/failure-note.tsx'

type Props = {
  readonly isOpen: boolean
  readonly title: string
  /** What will happen, and whether it can be undone. */
  readonly children: ReactNode
  /** A verb, such as `Lock the account`. */
  readonly action: string
  readonly isDangerous?: boolean
  readonly isReady?: boolean
  /** False where the caller shows something else in its place. */
  readonly closesWhenDone?: boolean
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

export function ConfirmDialog(props: Props): ReactNode {
  const {
    isOpen,
    title,
    children,
    action,
    isDangerous = false,
    isReady = true,
    closesWhenDone = true,
    onConfirm,
    onClose,
  } = props
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const close = () => {
    setFailure(undefined)
    onClose()
  }
  // What was sent cannot be taken back, and its answer may be a key that is shown only once.
  const leave = () => {
    if (!isBusy) close()
  }
  const confirm = async (event: FormEvent) => {
    event.preventDefault()
    // Enter sends it, too.
    if (isBusy || !isReady) return
    setBusy(true)
    setFailure(undefined)
    try {
      await onConfirm()
      if (closesWhenDone) close()
    } catch (cause) {
      setFailure(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal opened={isOpen} onClose={leave} title={title} closeButtonProps={{ 'aria-label': texts.close }}>
      <form noValidate onSubmit={(event) => void confirm(event)}>
        <Stack gap="md">
          {children}
          {failure !== undefined && <FailureNote failure={failure} onLoaded={close} />}
          <Group justify="flex-end" className={classes.actions}>
            <Button variant="default" onClick={leave} disabled={isBusy} data-autofocus>
              {texts.cancel}
            </Button>
            <Button
              {...(isDangerous && { color: 'red.9' })}
              type="submit"
              loading={isBusy}
              disabled={!isReady}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
