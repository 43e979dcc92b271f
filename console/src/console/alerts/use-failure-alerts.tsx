/** Tells the operator of failed runs by an alert per endpoint, until it is muted. */
import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Command } from '../../app/command-palette.tsx'
import { alertTexts as texts } from '../../texts/alerts.ts'
import { useSession } from '../session/session.tsx'
import { type EndpointFailures, unseenCount } from './failures.ts'
import { useFailures } from './use-failures.ts'
import { useWatchingTab } from './use-watching-tab.ts'

export type FailureAlerts = {
  /** False where the operator's roles may not follow runs. */
  readonly isOffered: boolean
  readonly isMuted: boolean
  readonly toggle: () => void
  readonly commands: readonly Command[]
  readonly unseen: number
}

export function useFailureAlerts(): FailureAlerts {
  const { may } = useSession()
  const [isMuted, setMuted] = useState(false)
  const isOffered = may('streamLiveExecutions')
  const isWatchingTab = useWatchingTab()
  const { failures, see, forget } = useFailures(isOffered && !isMuted && isWatchingTab)
  const shown = useRef(new Map<string, EndpointFailures>())
  const mute = useCallback(() => {
    setMuted(true)
    forget()
  }, [forget])
  useEffect(() => {
    for (const [endpointId, one] of failures) {
      if (!one.isShown || shown.current.get(endpointId) === one) continue
      const alert = alertOf(endpointId, one, { onSeen: () => see(endpointId), onMute: mute })
      if (shown.current.has(endpointId)) notifications.update(alert)
      else notifications.show(alert)
      shown.current.set(endpointId, one)
    }
    for (const endpointId of shown.current.keys()) {
      if (failures.get(endpointId)?.isShown === true) continue
      shown.current.delete(endpointId)
      notifications.hide(idOf(endpointId))
    }
  }, [failures, see, mute])
  useEffect(() => {
    const open = shown.current
    return () => {
      // Signed out.
      for (const endpointId of open.keys()) notifications.hide(idOf(endpointId))
      open.clear()
    }
  }, [])
  const toggle = useCallback(() => (isMuted ? setMuted(false) : mute()), [isMuted, mute])
  const commands = useMemo(
    () => (isOffered ? [{ id: 'failures', label: isMuted ? texts.unmute : texts.mute, run: toggle }] : []),
    [isOffered, isMuted, toggle],
  )
  return { isOffered, isMuted, toggle, commands, unseen: unseenCount(failures) }
}

const idOf = (endpointId: string): string => `failures-${endpointId}`

type Consequences = { readonly onSeen: () => void; readonly onMute: () => void }

const alertOf = (endpointId: string, one: EndpointFailures, { onSeen, onMute }: Consequences) => ({
  id: idOf(endpointId),
  color: 'red',
  title: texts.failed(one.endpointName, one.count),
  message: <AlertButtons executionId={one.executionId} onSeen={onSeen} onMute={onMute} />,
  autoClose: false as const,
  closeButtonProps: { 'aria-label': texts.close },
  onClose: onSeen,
})

type AlertButtonsProps = Consequences & { readonly executionId: string }

/** Alerts stand outside of the pages, so the link names the page in the fragment by itself. */
const AlertButtons = ({ executionId, onSeen, onMute }: AlertButtonsProps): ReactNode => (
  <Group gap="xs" mt={4}>
    <Button
      component="a"
      href={`#/executions/${executionId}`}
      size="compact-xs"
      variant="default"
      onClick={onSeen}
    >
      {texts.open}
    </Button>
    <Button size="compact-xs" variant="default" onClick={onMute}>
      {texts.muteShort}
    </Button>
  </Group>
)
