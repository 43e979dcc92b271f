/** The problem of wrong settings. It collects all faults, so that they can be corrected together. */
import { dirname } from 'node:path'
import { Problem } from '../kernel/problem.ts'

export type SettingFault = {
  /** The setting as the person wrote it: `TRIPFOLIO_PORT`, `--port`, or `port in data/tripfolio.json`. */
  readonly setting: string
  readonly expected: string
  readonly found: string
  /** The known name nearest to a mistyped one. */
  readonly nearest: string | undefined
}

export class SettingsProblem extends Problem {
  readonly faults: readonly SettingFault[]

  constructor(faults: readonly SettingFault[]) {
    const lines = faults.map(describeFault)
    super(
      'CFG101',
      lines.length === 1
        ? `Wrong setting ${lines[0]}`
        : `${lines.length} settings are wrong:\n  ${lines.join('\n  ')}`,
      { hint: 'Every setting is described in docs/reference/settings.md.' },
    )
    this.faults = faults
  }
}

function describeFault({ setting, expected, found, nearest }: SettingFault): string {
  const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`
  return `${setting}: expected ${expected}, found ${found}${suggestion}`
}

/** Another user owns the data folder: nothing about the settings is wrong. */
export const dataFolderNotReadable = (settingsFile: string, cause: unknown): Problem =>
  new Problem(
    'CFG102',
    `This user may not read the data folder ${dirname(settingsFile)}: ${settingsFile} is refused (EACCES)`,
    {
      hint: `Run the command as the owner of the folder; \`ls -ld ${dirname(settingsFile)}\` shows who that is.`,
      cause,
    },
  )
