/** Problems of a script, each with a button that leads to its line. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ScriptPlace } from '../../../parts/script/script-editor.tsx'
import { trialTexts as texts } from '../../../texts/scripts/trial.ts'
import classes from './trial.module.css'

type Placed = {
  readonly message: string
  readonly line?: number | null
  readonly column?: number | null
}

type Props = { readonly problems: readonly Placed[]; readonly onPlace: (place: ScriptPlace) => void }

export function PlaceList({ problems, onPlace }: Props): ReactNode {
  if (problems.length === 0) return null
  return (
    <ul className={classes.problems}>
      {problems.map(({ message, line, column }) => (
        <li key={`${line}:${column}:${message}`}>
          {typeof line === 'number' && (
            <Button
              variant="default"
              size="compact-xs"
              onClick={() => onPlace({ line, column: column ?? 1 })}
            >
              {texts.line(line)}
            </Button>
          )}{' '}
          {message}
        </li>
      ))}
    </ul>
  )
}
