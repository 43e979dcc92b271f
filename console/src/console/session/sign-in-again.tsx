/**
 * Asks to sign in again when a token has expired. It covers the page, which stays as it is behind it, so that nothing that was
 * typed is lost.
 */
import { type ReactNode, useEffect, useRef } from 'react'
import { consoleTexts as texts } from '../../texts/console.ts'
import type { OpenedSession } from './session.tsx'
import { SignIn } from './sign-in.tsx'
import classes from './sign-in-again.module.css'

export function SignInAgain({ onOpen }: { readonly onOpen: (opened: OpenedSession) => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    // Above the dialogs of the page, and nothing else can be reached.
    if (dialog.current?.open === false) dialog.current.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={classes.cover}
      aria-label={texts.title}
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <SignIn endReason="expired" answer={undefined} onOpen={onOpen} />
    </dialog>
  )
}
