/** The problems of a script; each leads to its place. */
import type { ReactNode } from 'react'
import { placeAt } from '../../../../src/script/script-problem.ts'
import { scriptEditorTexts as texts } from '../../texts/scripts/script-editor.ts'
import { Tone } from '../tone.tsx'
import type { Finding } from './check-script.ts'
import classes from './script-editor.module.css'

type Props = {
  readonly text: string
  readonly findings: readonly Finding[]
  readonly onGo: (at: number) => void
}

export function FindingList({ text, findings, onGo }: Props): ReactNode {
  const warnings = findings.filter(({ isWarning }) => isWarning).length
  const errors = findings.length - warnings
  const tone = errors > 0 ? 'bad' : warnings > 0 ? 'warning' : 'good'
  return (
    <section aria-label={texts.findings}>
      <div className={classes.status} role="status">
        <Tone tone={tone}>{findings.length === 0 ? texts.noProblems : texts.problems(errors, warnings)}</Tone>
      </div>
      {findings.length > 0 && (
        <ul className={classes.findings}>
          {findings.map(({ code, message, at }) => (
            <li key={`${at}:${code}:${message}`}>
              <button type="button" className={classes.finding} onClick={() => onGo(at ?? 0)}>
                <span className={classes.place}>{texts.findingAt(placeAt(text, at ?? 0).line, code)}</span>
                {message}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
