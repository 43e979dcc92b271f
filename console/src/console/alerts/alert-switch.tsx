import { Switch } from '@mantine/core'
import type { ReactNode } from 'react'
import { alertTexts as texts } from '../../texts/alerts.ts'
import type { FailureAlerts } from './use-failure-alerts.tsx'

type Props = { readonly alerts: FailureAlerts }

export const AlertSwitch = ({ alerts: { isOffered, isMuted, toggle } }: Props): ReactNode =>
  isOffered && <Switch size="xs" mt="sm" label={texts.unmute} checked={!isMuted} onChange={toggle} />
