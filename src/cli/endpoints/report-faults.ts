/** Reports the faults of files: as text on standard error, and with `--json` also as JSON on standard output. */
import type { FileFault } from '../../automation/endpoint-files/file-fault.ts'
import { placeAt, problemText } from '../../script/problems.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import type { Invocation } from '../invocation.ts'

export function reportFaults(
  cli: Invocation,
  faults: readonly FileFault[],
  { json }: { readonly json?: boolean | undefined },
): void {
  printFaults(cli, faults)
  if (json) {
    const told = faults.map(({ file, code, message, text, at }) => {
      const { line = null, column = null } = at === null ? {} : placeAt(text, at)
      return { file, line, column, code, message }
    })
    cli.printJson({ faults: told })
  }
  cli.exitCode = exitCodes.refused
}

export const printFaults = (cli: Invocation, faults: readonly FileFault[]): void =>
  cli.printError(faults.map((fault) => problemText(fault.file, fault.text, fault)).join(''))
