/** A state as a word with a mark, so that nobody depends on the colour. */
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconCircleX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './tone.module.css'
import type { ToneName } from './tone-name.ts'

const icons = {
  good: IconCircleCheck,
  warning: IconAlertTriangle,
  bad: IconCircleX,
  neutral: IconCircleDashed,
}

export function Tone({
  tone,
  children,
}: {
  readonly tone: ToneName
  readonly children: ReactNode
}): ReactNode {
  const Icon = icons[tone]
  return (
    <span className={classes.tone} data-tone={tone}>
      <Icon size={15} aria-hidden />
      {children}
    </span>
  )
}
