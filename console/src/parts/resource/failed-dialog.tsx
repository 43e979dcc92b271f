/** In the place of a dialog whose object cannot be loaded. */
import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { dialogTexts as texts } from '../../texts/dialogs.ts'
import { ErrorState } from '../states.tsx'

type Props = {
  readonly title: string
  readonly error: unknown
  readonly onRetry: () => void
  readonly onClose: () => void
}

export const FailedDialog = ({ title, error, onRetry, onClose }: Props): ReactNode => (
  <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': texts.close }}>
    <ErrorState title={texts.notLoaded} error={error} onRetry={onRetry} />
  </Modal>
)
